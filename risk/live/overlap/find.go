package overlap

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// MinValue is how many letters and digits a value needs to be looked for as a whole.
// "13" and "Fred" stand in any text; they say nothing about where they came from.
const MinValue = 5

// Match is a place where a value, or a piece of it, stood before.
type Match struct {
	Place
	Whole bool // the value as a whole, not a piece of a longer one
}

// Value is a text prepared to be looked for.
type Value struct {
	marks          []Mark
	letters        int
	digit, address bool
	moment         bool // a date or a time
	span           uint32
}

// NewValue prepares a text, for instance an argument of a call.
func NewValue(text string) Value { return Value{}.Of(text) }

// Of is NewValue for a caller that has no more use for the value v and leaves it its memory.
func (v Value) Of(text string) Value {
	v = Value{marks: v.marks[:0], span: uint32(len(text)), moment: moment(text)}
	switch {
	case len(text) > maxWhole:
		v.marks, v.letters = readRuns(slices.Grow(v.marks, len(text)/bytesPerRun), text)
		if v.letters <= maxWhole {
			v.marks, v.letters = read(v.marks[:0], text)
		}
	case len(text) < Guaranteed:
		v.marks, v.letters = readWords(v.marks, text)
	default:
		v.marks, v.letters = read(v.marks, text)
	}
	if v.letters < run { // of longer ones nobody asks
		v.digit, v.address = shape(text)
	}
	return v
}

// shape reports whether there is a digit in a text, and a mark that addresses have.
func shape(text string) (digit, address bool) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		digit = digit || c >= '0' && c <= '9'
		address = address || c == '@' || c == '/' || c == '.' && i > 0 && i+1 < len(text) && alnum(text[i-1]) && alnum(text[i+1])
	}
	return digit, address
}

// maxWhole is how many letters and digits a value has at most that is looked for as a
// whole; of a longer one only runs are.
const maxWhole = 4 * Guaranteed

// Long reports whether a piece of the value counts as a match.
func (v Value) Long() bool { return v.letters >= Guaranteed }

// Short reports whether a value is too short to be looked for.
func (v Value) Short() bool { return v.letters < MinValue }

// Telling reports whether a value that stands somewhere as a whole must have come from
// there: it has as many letters as a run, or it is an address, a key or a number. A plain
// word or two are anybody's, and so are dates and times.
func (v Value) Telling() bool {
	return !v.moment && (v.letters >= run || v.address || v.digit && v.letters >= minDistinct)
}

// Find appends the places where a value stood.
func (x *Index) Find(out []Match, v Value) []Match {
	var room [2 * perMark]Place
	if v.Long() {
		for _, m := range v.marks {
			if m.Kind != Run {
				continue
			}
			for _, p := range x.Lookup(room[:0], m.Hash, Run) {
				out = appendMatch(out, Match{Place: p})
			}
		}
	}
	if v.Short() || v.letters > maxWhole {
		return out
	}
	return x.whole(out, v)
}

// whole finds the places where all words of a value stand beside each other.
func (x *Index) whole(out []Match, v Value) []Match {
	var room, others [2 * perMark]Place
	anchor := -1
	// Marks of parts come before that of their word: the last one is the widest.
	for i := len(v.marks) - 1; i >= 0; i-- {
		if v.marks[i].Kind == Word {
			anchor = i
			break
		}
	}
	if anchor < 0 {
		return out
	}
	at := v.marks[anchor].At
	for _, p := range x.Lookup(room[:0], v.marks[anchor].Hash, Word) {
		all := true
		for i, m := range v.marks {
			if m.Kind != Word || i == anchor || m.At == at {
				continue
			}
			near := slices.ContainsFunc(x.Lookup(others[:0], m.Hash, Word), func(o Place) bool {
				return o.Text == p.Text && max(o.At, p.At)-min(o.At, p.At) <= 2*v.span+8
			})
			if !near {
				all = false
				break
			}
		}
		if all {
			out = appendMatch(out, Match{p, true})
		}
	}
	return out
}

// maxMatches is how many places of one value are told apart.
const maxMatches = 16

func appendMatch(out []Match, m Match) []Match {
	if len(out) >= maxMatches || slices.Contains(out, m) {
		return out
	}
	return append(out, m)
}

// minDistinct is how many letters and digits a word with a digit needs to mean one thing
// alone: a one-time code has six.
const minDistinct = 6

// maxDistinct is how many such words of one value are looked at.
const maxDistinct = 32

// Distinct appends the words of a longer value that can be traced by themselves:
// addresses, URLs, and what has enough digits and letters to be a key, a code or a number.
func Distinct(list []string, value string) []string {
	most := len(list) + maxDistinct
	for i := 0; i < len(value) && len(list) < most; i++ {
		start, letters, seen := i, 0, byte(0)
		for ; i < len(value); i++ {
			s := signs[value[i]]
			if s == ends {
				break
			}
			letters += int(s & aLetter)
			seen |= s
		}
		if i-start == len(value) {
			break // the value itself, which was looked for already
		}
		digit, mark := seen&aDigit != 0, seen&aMark != 0
		if word := value[start:i]; letters >= minDistinct && digit && !moment(word) || letters >= MinValue && mark {
			list = append(list, strings.TrimRight(word, ".:?&=#/!-"))
		}
	}
	return list
}

// What a byte says of the word that it is in.
const (
	aLetter = 1 << iota // a letter or digit
	aDigit
	aMark // of an address
	ends  // of the word
)

var signs = func() (table [256]byte) {
	for c := range table {
		switch {
		case c >= utf8.RuneSelf || classes[c] >= first:
			table[c] = aLetter
		case classes[c] == hard:
			table[c] = ends
		case c == '@' || c == '/':
			table[c] = aMark
		}
		if c >= '0' && c <= '9' {
			table[c] |= aDigit
		}
	}
	return table
}()
