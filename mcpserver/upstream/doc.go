// Package upstream is the gateway's side of other people's MCP servers: how one is
// reached, when it is connected, and what happens when it is slow, gone or hostile.
//
//	Config    how a server is reached; the JSON form is what is stored
//	Upstream  one server: Surface is what it offers, Call makes a request, Status says how it is
//	Set       all of them, by name
//	Error     why a request failed, and whether the server may have acted on it
//
// A server is connected when it is first needed and again when it is needed after its
// connection ended. A request is sent twice only if the first one certainly had no effect
// or only reads. One server that is slow, dead or hostile costs the others nothing: each
// has its own connection, its own bound on calls at once and its own breaker.
//
// The package moves bytes and decides nothing: what may be called, and by whom, is decided
// before (package exposure and runtime/governed).
package upstream
