// Package order finds in a text what it tells its reader to do.
//
// [Read] returns the requests of a text: each with the verb that heads it and the
// sentence it stands in. A verb is not known from a list: a word heads a request because
// of where it stands, at the beginning of a sentence, behind "please" or "you should",
// or joined by "and" to one that does. Whether the word means anything is decided by
// what it is compared with, the names and deeds of the tools that the reader has
// ([Deed]): "send" at the beginning of a sentence asks somebody who has a tool that
// sends, and "Summer" asks nobody.
//
// [Asks] says how plainly a sentence asks for a deed: it names the tool, or its verb
// with what the tool is about, or its verb with the values of the call.
//
// Bills, invitations and to-do lists hold honest requests. The package does not tell
// them from attacks; a caller weighs what it finds against other evidence.
package order
