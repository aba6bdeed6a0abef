// Package nesting counts how deep JSON is nested, without parsing it: decoders
// recurse, so text that is too deep must be refused before decoding.
package nesting

import "bytes"

// Beyond returns the offset of the first bracket that opens more than limit levels,
// or -1. The text may be anything, so brackets are counted and never matched.
func Beyond(text []byte, limit int) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = end(text, i+1)
		case '{', '[':
			if depth++; depth > limit {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

// end returns the offset of the quotation mark that ends a string, or that of the
// end of the text.
func end(text []byte, from int) int {
	for {
		at := bytes.IndexByte(text[from:], '"')
		if at < 0 {
			return len(text)
		}
		at += from
		slashes := 0
		for at-1-slashes >= from && text[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
		from = at + 1
	}
}

// Values estimates how many values JSON holds: each but the first comes after a
// bracket, a comma or a colon.
func Values(text []byte) int {
	n := 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = end(text, i+1)
		case '{', '[', ',', ':':
			n++
		}
	}
	return n
}
