// Package plainhttp sends short HTTP/1.1 requests without TLS in the goroutine of their
// caller.
//
//	Transport  an http.RoundTripper with a pool; what is not short and plain goes to another one
//	conn       one connection: a request, its response, and what is left of it
//
// net/http runs two goroutines for each connection and hands every request and response
// through them, which costs more than everything else that the gateway does for a call to
// a server on the same machine. Parsing of responses is net/http's here too.
package plainhttp
