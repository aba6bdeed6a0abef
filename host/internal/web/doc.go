// Package web is fetch: one call's way to the network, behind a netguard.Guard.
//
// A [Client] sends a request hop by hop: every hop is judged by the guard, what
// identifies the sender is dropped when another host is next (request.go), and
// the body is counted while it streams, as sent and as decoded (body.go).
package web
