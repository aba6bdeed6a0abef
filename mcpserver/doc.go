// Package mcpserver is MCP on both sides: it serves tools, connects to other
// servers and asks a person when it matters. It is the only importer of the MCP
// SDK.
//
//	Server   the tools that are published now, and every call of one
//	HTTP     what makes the endpoint safe to leave running, and both protocol eras
//	Token    what a client over HTTP must know
//
// A call is judged by level, put to a person if need be (ask.go), cleared, run by
// package runtime and answered; file convert.go holds all that knows how the SDK
// spells requests and results. What a model is told about a failure is in
// failure.go.
//
// It does not decide what is published, which is runtime/library's business, nor
// what a tool may reach, which is settled before it is served.
package mcpserver
