// Package ledger remembers which definition of each upstream tool was accepted, so
// that a tool that changes afterwards is noticed and withheld.
//
//	Ledger    the pins in the store; Observe takes in what servers send
//	Pins      the pins at one moment, for decisions
//	Pin       one tool: what was accepted, what was seen last, what was decided
//	Lock      the accepted tools as a file, for a build that checks them
//
// Seeing a tool is not accepting it: a pin is made at first sight and waits for a
// person, unless the server's policy trusts it. Definitions are kept as they came, so
// that a difference can be explained, and tools can be listed, without any server.
//
// A sheet of pins that cannot be read pins nothing: its server's tools are withheld
// until somebody forgets the sheet, and then they are new.
package ledger
