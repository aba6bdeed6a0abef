package frame

import (
	"math"
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
type tally struct {
	of    [maxTongues]uint16
	words int
}

func (t *tally) add(in tongues) {
	for ; in != 0; in &= in - 1 {
		if n := bits.TrailingZeros64(uint64(in)); t.of[n] < math.MaxUint16 {
			t.of[n]++
		}
	}
}

const (
	enough   = 3  // function words of one language that make a sentence speak for itself
	sparse   = 10 // words, of which at least one in so many has to be a function word
	longestF = 10 // bytes of the longest function word
)

// spoken are the languages that the sentence may be in: its own if it has function words
// enough, else those of the text so far. A language counts that has two thirds as many of
// these words as the one with most, since relatives share many. Languages in other scripts
// than the Latin always count: their words are not mistaken for those of others.
func (x *cutter) spoken() tongues {
	var here tally
	for _, w := range x.words[x.word:] {
		if w.To-w.From > longestF {
			continue
		}
		if in := x.lexicon.function[string(x.Folded[w.From:w.To])]; in != 0 {
			here.add(in)
			x.heard.add(in)
		}
	}
	here.words = len(x.words) - x.word
	x.heard.words += here.words
	t := &here
	if slices.Max(t.of[:]) < enough {
		t = &x.heard
	}
	most := int(slices.Max(t.of[:]))
	if most == 0 || most*sparse < t.words {
		return everyTongue
	}
	in, least := ^x.lexicon.alphabetic, (most*2+2)/3
	if most < enough {
		least = 1
	}
	for n, count := range t.of {
		if int(count) >= least {
			in |= 1 << n
		}
	}
	return in
}
