// Package mcpserver is MCP on both sides: it serves tools, connects to other
// servers and asks a person when a call needs approval. It is the only importer of
// the MCP SDK.
//
//	Server   the tools that are published now, and every call of one
//	HTTP     what makes the endpoint safe to leave running, and both protocol eras
//	Token    what a client over HTTP must know
//
// A call is judged by level, put to a person if required (ask.go), cleared, run by
// package runtime and answered. convert.go translates between SDK requests and
// results and ours; failure.go words failures for the model.
//
// It decides neither what is published (runtime/library does) nor what a tool may
// reach (settled before the tool is served).
package mcpserver
