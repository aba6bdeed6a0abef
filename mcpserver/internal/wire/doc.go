// Package wire reads JSON-RPC messages as they stand on the wire: framing, batches
// and ids, for HTTP, standard streams and the relay between two processes. A body
// is looked through once, here; everybody else asks what was found.
//
//	Parse    the messages of a body, with the positions of what is asked about later
//	Message  id, method, tool, arguments; all of it part of the body, nothing copied
//	ID       the bytes that came, and a key that is the same for all spellings
//	Lines    one message a line, bounded
//	Inner    the body as the SDK may see it; Outer turns its answers back
//
// What two readers could take for different things is refused: repeated members
// of a message, text that is not UTF-8, ids that are neither string nor number. The
// package knows no method but those that name a tool or another request, and does
// not import the SDK.
//
// # Why the SDK does not get the body
//
// It decodes a body four to nine times, each time through a buffer that grows by
// doubling: 4 MiB of arguments took 40 MiB of garbage and 13 MiB at one moment, and
// for an unknown tool as well. It also turns ids into float64 and then int64, so that
// 1.5 was answered as 1. Inner takes the arguments out, which nobody but the tool
// needs, and spells ids that would change as strings; what is left is small.
package wire
