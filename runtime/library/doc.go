// Package library is the specs of one operator on disk: what ships with the
// program, what was saved into a bundle file, and folders with a file for each
// spec. It decides which of them are published and keeps the records of what
// passed its own test.
//
// It writes files only as a whole (see atomic.go) and never replaces one that it
// could not read. It does not run tools.
//
// Read [Library], [Tool] and [Passes] first.
package library
