package frame

import (
	"math/bits"
	"slices"
)

// tongues is a set of languages, one for each file of the lexicon. Short words mean one
// thing in one language and another in the next: "di" is "of" in Italian, "in" in
// Indonesian and "say" in Spanish. So a sentence is read in the languages that
// its articles, conjunctions and prepositions belong to.
type tongues uint64

const (
	everyTongue = ^tongues(0)
	maxTongues  = 64
)

// tally counts the function words of each language.
type tally [maxTongues]uint8

func (t *tally) add(in tongues) {
	for ; in != 0; in &= in - 1 {
		t[bits.TrailingZeros64(uint64(in))]++ // a sentence has maxWords at most
	}
}

const (
	enough   = 3  // function words of one language that make a sentence speak for itself
	sparse   = 10 // words, of which at least one in so many has to be a function word
	longestF = 10 // bytes of the longest function word
)

// spoken are the languages that the sentence may be in, all if it has too few function words
// to tell. What stands around it has no say: whoever writes a text could open it in one
// language and give orders in another. A language counts that has two thirds as many of
// these words as the one with most, since relatives share many. Languages in other scripts
// than the Latin always count: their words are not mistaken for those of others.
func (x *cutter) spoken() tongues {
	var heard tally
	words := x.words[x.word:]
	for _, w := range words {
		if w.To-w.From <= longestF {
			heard.add(x.lexicon.function[string(x.Folded[w.From:w.To])])
		}
	}
	most := int(slices.Max(heard[:]))
	if most < enough || most*sparse < len(words) {
		return everyTongue
	}
	in := ^x.lexicon.alphabetic
	for n, count := range heard {
		if int(count)*3 >= most*2 {
			in |= 1 << n
		}
	}
	return in
}
