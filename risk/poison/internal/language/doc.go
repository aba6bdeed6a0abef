// Package language judges what a text asks a model to do. Words become meanings
// (lexicon.go), sequences of meanings within a sentence become evidence (the rows
// of rules_*.go), evidence within a passage adds up (score.go). A row is a deed,
// such as sending data away, or a manner of speaking, such as an official heading;
// manner alone scores nothing.
//
// The lexer (lexer.go) sees words in several languages, addresses, paths, names of
// tools and headings. The matcher (match.go) carries one machine word of state for
// each pattern; all is linear in the text.
//
// Read [Reader.Judge] and the rules first.
package language
