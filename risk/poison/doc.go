// Package poison finds text in tool definitions that gives orders to the model:
// poisoned descriptions, hidden characters, instructions in places where only
// data belongs, rules over the tools of other servers.
//
// # Layers
//
//   - [Reference]: the nine published patterns, exactly, faults included.
//
//   - Characters (package glyph, trick.go): text that no font shows or that looks
//     like other text. The result is a view: the text as its meaning reads, with
//     the way back to the original offsets.
//
//   - Payloads (payload.go): encoded text, comments, text behind blanks; what is
//     inside is judged as a text of its own.
//
//   - Language (package language): words become meanings, sequences of
//     meanings become evidence, evidence within a passage adds up. No word
//     condemns a text: authority, duty and haste count only around a deed, and
//     most deeds only with something around them.
//
//   - Voice (packages frame and voice, voices.go): what a passage asks for, read
//     for its frame and weighed by a linear model against what the tool is for. It
//     speaks by itself and takes back what the rules say of documentation.
//
// [Scan] runs all of them over every string of a JSON document: names, titles,
// descriptions, member names, enum values, defaults, examples, output schemas,
// annotations. Whether "call X first" is documentation or an intrusion is decided
// by [Names]: X is a tool of the same server or it is not.
//
// # What it refuses to know
//
// What a tool does when it is called, and whether a name is trusted. A tool whose
// declared purpose is dangerous ("runs any shell command") is not poisoned; tool
// risk is about that. The weights are data in the program and the arithmetic is
// integer: the same bytes give the same findings, each with its reasons.
//
// [ScanResult] reads what a server returned, with weights and a bar of its own.
//
// Everything is linear in the input, and nothing panics on hostile bytes: the
// tables are compiled once, at first use.
//
// Read [Finding] and [Confidence] first, then the rules of package language.
package poison
