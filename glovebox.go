// Package glovebox is the root of the module. It holds no code; the tests beside
// it check the repository as a whole. Start at the README, then at package
// runtime (to embed) or cmd/glovebox (to run).
package glovebox
