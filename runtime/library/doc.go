// Package library holds one operator's specs on disk: those that ship with the
// program, those saved into a bundle file, and folders with a file for each spec. It
// decides which of them are published, and records which passed their own test.
//
// It writes files only as a whole (see atomic.go) and never replaces one that it
// could not read. It does not run tools.
//
// Read [Library], [Tool] and [Passes] first.
package library
