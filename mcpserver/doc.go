// Package mcpserver is MCP on both sides: it serves tools, connects to other
// servers and asks a person when it matters. It is the only importer of the MCP
// SDK.
package mcpserver
