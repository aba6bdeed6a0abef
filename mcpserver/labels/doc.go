// Package labels decides governed calls by what their principal has met: it joins the
// live engine (risk/live) to the pipeline of calls and keeps its sessions.
//
//	Judge     a governed.Witness: judges a call, and sees every result before the caller
//	HostCall  a call that a client makes with a tool of its own, if it asks first
//	Keeper    where sessions and the labels of written objects are kept
//	Memory    a Keeper for one process without a store
//	Shelf     a Keeper in the store, for restarts and for the servers of a cluster
//	Flow      what the record of a call says about it
//
// A session belongs to a principal, whatever connections and session ids it uses: two
// clients with one token share what they met, because nothing that a client says about
// itself can be trusted to keep them apart. It ends when an operator resets it, or after
// [IdleTime] without a call.
//
// What cannot be read or written is not guessed: the call is denied, the result withheld.
package labels
