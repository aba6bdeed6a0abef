// Package frame reads what a sentence asks for instead of how it is worded: who
// is told to act, what deed, about whose data, where it goes, and what is said
// about consent and silence. Each of these is a [Concept]. The words for them
// are in lexicon/, one file for each language, so a sentence in Finnish and one
// in Korean that ask for the same deed have the same concepts.
//
// A [Reader] splits a text into sentences and records the concepts of each, and
// things that are not words: addresses, paths, names of parameters and tools.
// It gives no verdict; package voice does.
package frame
