// Package governed runs one tool call, from the request to the record, for any tool
// and any caller.
//
//	Pipeline   makes calls; Pipeline.Do in call.go reads as the way of one call
//	Request    what is asked
//	Tool       what can be called: a spec in the box, a tool of our own
//	Judge      what decides whether a call may run
//	Approver   how a person is asked
//	Permit     what a tool is called with; only the pipeline can make one that holds
//	Peer       the client that waits for the call, as the tool may speak to it
//	Result     what the caller gets, cleaned of secrets
//	Failure    the one way in which a call does not end well
//	Published  the tools that clients see, by source
//
// Nothing else calls a tool. Every call ends with exactly one record, whether it was
// refused, met a full queue, was cancelled or crashed. The package knows no protocol
// and no transport: a server, the command line and a Go host run their calls through
// the same code.
package governed
