// Package live decides tool calls by what the caller has met: private data, text that
// strangers can write, and a way out should not meet unnoticed.
//
//	Session      what one principal has met; Decide judges a call, Observe a result
//	Label        what a text may be: untrusted, private, secret, with origins
//	Profile      what is known of a tool: its result, its sink, its arguments' roles
//	Book, File   profiles: the operator's file, else definitions, else the worst
//	Decision     the verdict with every rule that fired and the passages it rests on
//	Leave        a person's "yes, and the rest of this task", bounded
//	Objects      labels of things that were written, for whoever reads them later
//	Bounded      whether a result leaves no room for a stranger's text
//
// Two kinds of evidence. Co-presence: the session has read untrusted text and the call
// reaches outside or cannot be taken back. Influence: an argument stood in such a text
// (package overlap), or the text asks for the call (package order). Either raises a
// question. A denial needs two grounds, because honest work pays the bill in the file
// and opens the link in the message: see the table in rules.go.
//
// The package asks callers for nothing that it can know itself, and it knows no clock, no
// storage and no protocol: time is an argument, and mcpserver/labels keeps sessions. It
// does not see what a client does without the gateway, in a shell or browser of its own;
// a host can tell it ([Session.Meet]).
//
// Read [Session.Decide] and rules.go first.
package live
