// Package overlap finds what a text has in common with texts seen before.
//
//	Read   turns a text into marks: hashes of its words and of runs of its characters
//	Index  remembers the marks of many texts, within a bound
//	Find   says where a value, or a long piece of it, stood before
//
// Letters count without case, without what stands between them, and without
// disguise: letters of other scripts that look like Latin ones, full-width forms and
// invisible characters are folded, and percent-encoding and base64 are read as what
// they mean. So "E-Mail: Bob@Example.org" and "mailto:bob%40example.org" share a word.
//
// Two grades of match: a word or short value has to stand there as a whole; of a
// longer text it is enough that [Guaranteed] letters and digits in a row are the same
// (winnowing: Schleimer, Wilkerson, Aiken, SIGMOD 2003).
//
// The package knows nothing of labels, tools or sessions. Reading takes time linear in
// the text.
package overlap
