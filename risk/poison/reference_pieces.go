package poison

import "github.com/glovebox-run/glovebox/risk/poison/internal/ascii"

// The pieces that the hand-written patterns are made of. Each takes and returns
// a byte offset; -1 means "no match" and is passed through, so they nest.

// word returns the offset behind the first of words (lower case) that stands at
// i, whatever its ASCII case.
func word(s string, i int, words ...string) int {
	if i < 0 {
		return -1
	}
	for _, w := range words {
		if ascii.HasPrefix(s[i:], w) {
			return i + len(w)
		}
	}
	return -1
}

// spaces returns the offset behind one or more blanks.
func spaces(s string, i int) int {
	if j := optionalSpaces(s, i); j > i {
		return j
	}
	return -1
}

func optionalSpaces(s string, i int) int {
	for i >= 0 && i < len(s) && ascii.Space(s[i]) {
		i++
	}
	return i
}

// indexFold is the offset of lower in s at or behind from, whatever the ASCII
// case in s, or -1. The words it is asked for are short.
func indexFold(s, lower string, from int) int {
	first := lower[0]
	for i := from; i+len(lower) <= len(s); i++ {
		if c := s[i]; (c == first || c|0x20 == first) && ascii.HasPrefix(s[i:], lower) {
			return i
		}
	}
	return -1
}
