// Package poison finds text in tool definitions that gives instructions to the
// model: poisoned descriptions, hidden characters, instructions in places where only
// data belongs, rules for the tools of other servers.
//
// # Layers
//
//   - [Reference]: reproduces the nine published patterns exactly, including faults.
//
//   - Characters (package glyph, trick.go): text that no font shows or that looks
//     like other text. The result is a view: the text with its disguise removed and
//     a mapping to the original offsets.
//
//   - Payloads (payload.go): encoded text, comments, text behind blanks. The content
//     is judged as a text of its own.
//
//   - Language (package language): words become meanings, sequences of
//     meanings become evidence, evidence within a passage adds up. No single word
//     condemns a text: authority, duty and haste count only near a deed, and most
//     deeds count only with further evidence.
//
//   - Voice (packages frame and voice, voices.go): a linear model weighs what a
//     passage asks for against the purpose of the tool. It reports findings of its
//     own and withdraws rule findings on documentation.
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
// risk covers that. The weights are data in the program and the arithmetic is
// integer: the same bytes give the same findings, each with its reasons.
//
// [ScanResult] scans what a server returned, with its own weights and threshold.
//
// Scans take time linear in the input and do not panic on hostile bytes. The tables
// are compiled once, at first use.
//
// Read [Finding] and [Confidence] first, then the rules of package language.
package poison
