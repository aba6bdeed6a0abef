// Package transport moves JSON-RPC messages to and from one MCP server as bytes. It
// reads of a message what it takes to match an answer with its request, and nothing of
// what the message says.
//
//	Conn     a connection: Do sends a request and waits for its answer, Send anything else
//	Stdio    one message a line over the streams of a process
//	HTTP     streamable HTTP: with sessions up to 2025-11-25, without from 2026-07-28 on
//	SSE      HTTP+SSE of 2024-11-05
//
// What a server sends is hostile until it is matched: everything is bounded in size, in
// time and in rate, and what fits no request is dropped and counted ([Dropped]). A
// connection holds at most one unfinished message per stream.
//
// The package knows no methods, capabilities or eras; package session does.
// RATIONALE.md, one folder up, says why it does not use the SDK's connections.
package transport
