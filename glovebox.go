// Package glovebox is the root of the module. It holds no code; the tests beside
// it check the repository as a whole.
//
// To embed Glovebox, read package runtime: its comment is a tutorial, and its
// examples are programs. Package host says what tools may reach and how a program
// adds functions of its own; package catalog reads documents; packages
// runtime/governed and mcpserver decide, ask and serve. To run it, see
// cmd/glovebox.
package glovebox
