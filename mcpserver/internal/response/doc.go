// Package response answers one JSON-RPC request over HTTP: with one JSON message or,
// from the moment the server has something to say before the answer, as a stream of
// events.
//
//	Response  the answer to one request; Notify and Request turn it into a stream
//	Pending   requests of the server that wait for a client's answer
//
// It knows nothing of sessions, tools or the SDK: who calls it has checked that the
// request may be answered in this way. The messages of tools pass through as the
// bytes they are.
package response
