// Package admission shares a server out among its principals: who may send how
// much, who runs next, and who may keep a session open. A greedy principal is
// slowed down and refused; the others do not notice.
//
//	Limits   what the operator decides
//	Gate     the one place that counts; all below are asked of it
//	Take     messages, by a token bucket for each principal
//	Slot     turns to run, first come first served for each principal and in turn
//	         among principals
//	Session  places for sessions and streams
//	Hold     memory for messages, of which nobody has more than is left
//	Lane     a few at a time, in turn among principals
//	Refusal  why not, and when to try again
//
// Memory is bounded: a principal that does nothing is forgotten as soon as its
// bucket is full again. The package knows nothing of MCP and HTTP.
package admission
