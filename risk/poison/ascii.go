package poison

// The pieces that the hand-written patterns are made of. Each takes and returns
// a byte offset; -1 means "no match" and is passed through, so they nest.

// word returns the offset behind the first of words (lower case) that stands at
// i, whatever its ASCII case.
func word(s string, i int, words ...string) int {
	if i < 0 {
		return -1
	}
	for _, w := range words {
		if hasPrefixFold(s[i:], w) {
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
	for i >= 0 && i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

func hasPrefixFold(s, lower string) bool {
	if len(s) < len(lower) {
		return false
	}
	for i := range len(lower) {
		if lowerByte(s[i]) != lower[i] {
			return false
		}
	}
	return true
}

// indexFold is the offset of lower in s at or behind from, whatever the ASCII
// case in s, or -1. The words it is asked for are short.
func indexFold(s, lower string, from int) int {
	for i := from; i+len(lower) <= len(s); i++ {
		if lowerByte(s[i]) == lower[0] && hasPrefixFold(s[i:], lower) {
			return i
		}
	}
	return -1
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' }

// isSpace is the blank of the reference's expressions, which counts \v.
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
