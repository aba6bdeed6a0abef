// Package ascii tells ASCII bytes apart.
package ascii

// Lower is a letter in lower case, and any other byte as it is.
func Lower(c byte) byte {
	if IsUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}

// IsLower reports a to z.
func IsLower(c byte) bool { return 'a' <= c && c <= 'z' }

// IsUpper reports A to Z.
func IsUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// Hex is the value of a hexadecimal digit.
func Hex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
