// Package probe looks at an MCP server for risk/score and never calls a tool.
//
//	Prober    HTTP looks at a URL, Conn at a connection that its caller made
//	wire.go   the TLS handshake and a plain GET with its redirects
//	origin.go initialize with the Origin of another site
//	auth.go   protected resource metadata and what it leads to (RFC 9728, 8414)
//	look.go   the handshake, the lists and up to three resources
//	dcr       a package of its own that gets a token for one scan
//	active    a package of its own that does call tools, if two people agree
//
// A scan asks what any client asks first, and a server cannot tell more from it than
// from a visit. It speaks through session.Looker, which has no call, and a test holds
// that nothing here gets hold of anything else. Every request has 10 seconds, every
// answer 1 MiB, and every address is checked when it is dialled: private ones are
// refused, and allowing them is for the host of the target alone.
//
// What a server says is redacted before it leaves this package.
package probe
