// Package replica lets the servers of a cluster answer for one another. A client's session
// lives in one process; behind a balancer its requests come to all of them. The one that
// gets a request of another's session passes it on and passes the answer back, piece by
// piece, as it comes.
//
//	Member   one server of a cluster; Join makes one
//	Line     messages between members, which package store has
//
// Both ends take the request for what it is: a request of a client. The owner checks its
// token, its host and its limits as if it had come to itself.
//
// A request is an opening message to the owner, with the head and the beginning of the
// body; the owner fetches the rest of it, and sends the answer in pieces. Each message
// waits for its answer, so neither end holds more than one piece: a slow client slows the
// owner down. When one end has gone, the other one notices within [Silence].
package replica
