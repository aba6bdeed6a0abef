package overlap

import (
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/lookalike"
	"github.com/glovebox-run/glovebox/risk/unseen"
)

// What a byte of ASCII does to the word that is being read.
const (
	drop  = 0 // stands inside of a word and does not count: . - _ + * and the like
	hard  = 1 // ends the word
	soft  = 2 // ends a part of it, such as the host of an address
	first = 3 // from here on: a letter or digit, folded
)

var classes = func() (table [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			table[c] = c
		case c >= 'A' && c <= 'Z':
			table[c] = c | 0x20
		case c <= ' ', c == 0x7f:
			table[c] = hard
		}
	}
	for _, c := range []byte("\"'`()[]{}<>,;|\\") {
		table[c] = hard
	}
	for _, c := range []byte("/:@?&=#") {
		table[c] = soft
	}
	return table
}()

// fold returns the bytes that a rune beyond ASCII counts as; none for a rune that
// nobody sees, and ok is false for one that ends a word.
func fold(r rune, into *[utf8.UTFMax]byte) (folded []byte, ok bool) {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E: // full-width forms of ASCII
		c := classes[r-0xFF01+'!']
		if c < first {
			return nil, c == drop
		}
		into[0] = c
		return into[:1], true
	case !unseen.Visible(r) && !unicode.IsSpace(r):
		return nil, true
	case !unicode.IsLetter(r) && !unicode.IsDigit(r):
		return nil, false
	}
	r = unicode.ToLower(r)
	if unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian) {
		plain, _ := utf8.DecodeRuneInString(lookalike.Letters(string(r)))
		r = unicode.ToLower(plain)
	}
	return into[:utf8.EncodeRune(into[:], r)], true
}
