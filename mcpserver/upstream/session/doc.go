// Package session speaks MCP to one server over a connection of package transport, in
// both eras: up to 2025-11-25 with a handshake and a session, from 2026-07-28 on without.
// Parameters and results pass as bytes.
//
//	Open     connects and finds out what the server is; Session.Info says it
//	Session  Call makes a request, List reads a list to its end, Changes come by callback
//	Peer     the client behind a call: it answers what the server asks during the call
//	Looker   a session that can only look: handshake and lists, no call
//
// The two eras meet here. What an older server asks by a request of its own and a newer
// one by the result input_required is the same call of [Peer.Request].
//
// A server's request or notification reaches a peer only if it belongs to a call of that
// peer: by the stream it came on, by the progress token, or because there is no other
// call. What belongs to nobody is refused or dropped, and counted ([Session.Counts]).
package session
