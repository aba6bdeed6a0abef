// Package admission divides a server among its principals: how much each may send,
// which call runs next, and how many sessions stay open. A greedy principal is
// slowed down and refused; the others do not notice.
//
//	Limits   what the operator decides
//	Gate     the one place that counts; all below are asked of it
//	Take     messages, by a token bucket for each principal
//	Share    the rate with other gates; Spent, Charge, Owe and Debts keep them told
//	Slot     turns to run, first come first served for each principal and in turn
//	         among principals
//	Session  places for sessions and streams
//	Hold     memory for messages, of which nobody has more than is left
//	Lane     a few at a time, in turn among principals
//	Refusal  why not, and when to try again
//
// Memory is bounded: an inactive principal is forgotten as soon as its bucket is
// full again. The package knows nothing of MCP or HTTP.
package admission
