// Package ascii tells ASCII bytes apart, without the locale and without Unicode:
// the scanner looks at every byte of what servers send.
package ascii

// Letter reports a to z and A to Z.
func Letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Upper reports A to Z.
func Upper(c byte) bool { return c >= 'A' && c <= 'Z' }

// Digit reports 0 to 9.
func Digit(c byte) bool { return c >= '0' && c <= '9' }

// Word reports what \w matches.
func Word(c byte) bool { return Letter(c) || Digit(c) || c == '_' }

// Space reports blanks and line breaks, \v among them.
func Space(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// Lower lowers A to Z.
func Lower(c byte) byte {
	if Upper(c) {
		return c + 'a' - 'A'
	}
	return c
}

// HasPrefix reports whether s starts with lower, whatever the case in s.
func HasPrefix(s, lower string) bool {
	if len(s) < len(lower) {
		return false
	}
	for i := range len(lower) {
		if Lower(s[i]) != lower[i] {
			return false
		}
	}
	return true
}
