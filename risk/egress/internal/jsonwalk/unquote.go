package jsonwalk

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
)

// Unquote appends the meaning of the inside of a JSON string. An escape that
// JSON does not have is kept as written, half of a surrogate pair becomes U+FFFD.
func Unquote(dst, inside []byte) []byte {
	for i := 0; i < len(inside); {
		var n int
		dst, n = UnquoteOne(dst, inside[i:])
		i += n
	}
	return dst
}

// UnquoteOne appends the first character or escape of s, which is not empty, and
// returns how many bytes it took.
func UnquoteOne(dst, s []byte) ([]byte, int) {
	if s[0] != '\\' || len(s) < 2 {
		return append(dst, s[0]), 1
	}
	switch s[1] {
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case '"', '\\', '/':
		return append(dst, s[1]), 2
	case 'u':
		high, ok := hex4(s[2:])
		if !ok {
			return append(dst, s[0]), 1
		}
		if low, ok := surrogate(s[6:]); ok && utf16.IsSurrogate(high) {
			if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
				return utf8.AppendRune(dst, r), 12
			}
		}
		return utf8.AppendRune(dst, high), 6
	}
	return append(dst, s[0]), 1
}

// surrogate reads a second \uXXXX.
func surrogate(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	return hex4(s[2:])
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		d, ok := ascii.Hex(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}
