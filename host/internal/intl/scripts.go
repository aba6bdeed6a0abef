package intl

import (
	"bytes"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// CLDR moves the letters of a language before those of all other scripts.
// x/text has the weights but not that step, so keys are rewritten: before each
// primary weight comes a byte that says which group of scripts it is of.

// firstScripts are the groups that come before Latin, in their order; where
// Latin is named, they come right after it.
var firstScripts = map[string]string{
	"ar": "Arabic", "fa": "Arabic", "ur": "Arabic",
	"bg": "Cyrillic", "ru": "Cyrillic", "sr": "Cyrillic", "uk": "Cyrillic",
	"el": "Greek", "he": "Hebrew", "th": "Thai",
	"bn": "Bengali Devanagari Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam",
	"hi": "Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam",
	"ta": "Tamil Devanagari Bengali Gurmukhi Gujarati Oriya Telugu Kannada Malayalam",
	"te": "Telugu Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Kannada Malayalam",
	"ja": "Latin Kana Han", "ko": "Hangul Han", "zh": "Han",
}

// letters are ranges of each script whose weights bound those of all its letters
// that are not variants of another script's: of Hangul the parts that syllables
// are made of, of Han what every collation lists.
var letters = map[string][2]rune{
	"Latin": {'a', 'z'}, "Greek": {'α', 'ω'}, "Cyrillic": {0x0430, 0x04FF}, "Hebrew": {0x05D0, 0x05EA}, "Arabic": {0x0620, 0x06D3},
	"Devanagari": {0x0904, 0x0939}, "Bengali": {0x0985, 0x09B9}, "Gurmukhi": {0x0A05, 0x0A39}, "Gujarati": {0x0A85, 0x0AB9},
	"Oriya": {0x0B05, 0x0B39}, "Tamil": {0x0B85, 0x0BB9}, "Telugu": {0x0C05, 0x0C39}, "Kannada": {0x0C85, 0x0CB9}, "Malayalam": {0x0D05, 0x0D39},
	"Thai": {0x0E01, 0x0E2E}, "Hangul": {0x1100, 0x11FF}, "Kana": {0x3041, 0x30FA}, "Han": {0x4E00, 0x9FFF},
}

// scriptOrder is the bounds of the groups, as primary weights in the form that
// they have in keys.
type scriptOrder struct {
	letters []byte // the first weight that is a letter of any script
	groups  []scriptGroup
}

// scriptGroup is two ranges: of weights that the collation lists, and of the long
// ones that it makes of the code points of Han it does not list.
type scriptGroup struct{ listed, made weightRange }

type weightRange struct{ low, high []byte }

// add takes a weight that the caller goes on to overwrite.
func (r *weightRange) add(w []byte) {
	if r.low == nil || bytes.Compare(w, r.low) < 0 {
		r.low = bytes.Clone(w)
	}
	if bytes.Compare(w, r.high) > 0 {
		r.high = append(r.high[:0], w...)
	}
}

func (r weightRange) has(w []byte) bool {
	return r.low != nil && bytes.Compare(w, r.low) >= 0 && bytes.Compare(w, r.high) <= 0
}

var scriptOrders sync.Map // language -> scriptOrder, made when first needed

func orderOf(t language.Tag, name string) scriptOrder {
	scripts, ok := firstScripts[name]
	if !ok {
		return scriptOrder{}
	}
	if known, ok := scriptOrders.Load(t); ok {
		return known.(scriptOrder)
	}
	c := collate.New(t, collate.IgnoreCase, collate.IgnoreDiacritics)
	var buf collate.Buffer
	o := scriptOrder{letters: bytes.Clone(firstWeight(c, &buf, 'a'))}
	for name := range strings.FieldsSeq(scripts) {
		var g scriptGroup
		for r := letters[name][0]; r <= letters[name][1]; r++ {
			w := firstWeight(c, &buf, r)
			if w == nil || !unicode.IsLetter(r) || bytes.Compare(w, o.letters) < 0 {
				continue // a mark or a digit
			}
			switch {
			case len(w) == 2:
				g.listed.add(w)
			case name == "Han":
				g.made.add(w)
			}
		}
		o.groups = append(o.groups, g)
	}
	scriptOrders.Store(t, o)
	return o
}

// firstWeight is good until the next call.
func firstWeight(c *collate.Collator, buf *collate.Buffer, r rune) []byte {
	buf.Reset()
	key := c.KeyFromString(buf, string(r))
	if len(key) < 2 {
		return nil
	}
	return key[:weightLength(key)]
}

// weightLength: a primary weight takes three bytes when the first has its high
// bit set, else two.
func weightLength(key []byte) int {
	if key[0]&0x80 != 0 && len(key) > 2 {
		return 3
	}
	return min(2, len(key))
}

// apply returns a copy of a key with its primary weights in groups. A weight of
// zero ends them.
func (o scriptOrder) apply(key []byte) []byte {
	if o.letters == nil {
		return bytes.Clone(key)
	}
	out := make([]byte, 0, len(key)*3/2)
	for len(key) > 1 && (key[0] != 0 || key[1] != 0) {
		n := weightLength(key)
		out = append(append(out, o.group(key[:n])), key[:n]...)
		key = key[n:]
	}
	return append(out, key...)
}

// group numbers are above zero, as every byte that starts a weight must be.
func (o scriptOrder) group(weight []byte) byte {
	if bytes.Compare(weight, o.letters) < 0 {
		return 1 // punctuation, symbols, digits
	}
	for i, g := range o.groups {
		if g.listed.has(weight) || g.made.has(weight) {
			return byte(2 + i)
		}
	}
	return 0xF0
}
