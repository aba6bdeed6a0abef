// Package wire reads JSON-RPC messages as sent on the wire: framing, batches and
// ids, for HTTP, standard streams and the relay between two processes. A body is
// parsed once, here; other packages use the result.
//
//	Parse    the messages of a body, with the positions of what is asked about later
//	Message  id, method, tool, arguments; all of it part of the body, nothing copied
//	ID       the bytes that came, and a key that is the same for all spellings
//	Lines    one message a line, bounded
//	Inner    the body as the SDK may see it; Outer turns its answers back
//
// Input that two parsers could read differently is refused: repeated members of a
// message, text that is not UTF-8, ids that are neither string nor number. The
// package knows only the methods that name a tool or another request, and does not
// import the SDK.
//
// # Why the SDK does not get the body
//
// The SDK decodes a body four to nine times, each time through a buffer that grows
// by doubling: 4 MiB of arguments took 40 MiB of garbage and 13 MiB at one moment,
// even for an unknown tool. It also converts ids to float64 and then int64, so that
// 1.5 was answered as 1. Inner removes the arguments, which only the tool needs, and
// encodes ids that would change as strings; what is left is small.
package wire
