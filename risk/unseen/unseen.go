// Package unseen finds characters that are invisible or misleading to a person, and
// spells them out. Use it for any untrusted text that people are shown.
package unseen

import (
	"fmt"
	"strings"
	"unicode"
)

// Spell replaces characters that are invisible, look like a space or change the
// reading direction with their code points.
func Spell(s string) string {
	plain := true
	for _, r := range s {
		if plain = Visible(r); !plain {
			break
		}
	}
	if plain && strings.ToValidUTF8(s, "") == s {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if Visible(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// Visible reports whether a person can recognise a character by sight. Unicode
// classes the Hangul fillers and the blank Braille pattern as letters and symbols, so
// being graphic is not enough; Default_Ignorable_Code_Point and a list of blank
// glyphs decide.
func Visible(r rune) bool {
	switch {
	case r == ' ':
		return true
	case r <= unicode.MaxLatin1 && r != 0xA0 && r != 0xAD:
		return r > ' ' && r != 0x7F && (r < 0x80 || r > 0x9F)
	case !unicode.IsGraphic(r), unicode.Is(unicode.Zs, r):
		return false
	}
	return !unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, blank)
}

// blank holds characters that are drawn as nothing although no property marks them.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x180E, Hi: 0x180E, Stride: 1}, // Mongolian vowel separator
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // Braille pattern blank
		{Lo: 0xFFFC, Hi: 0xFFFC, Stride: 1}, // object replacement character
	},
	R32: []unicode.Range32{
		{Lo: 0x16FE4, Hi: 0x16FE4, Stride: 1}, // Khitan small script filler
		{Lo: 0x1D159, Hi: 0x1D159, Stride: 1}, // musical symbol null notehead
		{Lo: 0x1D173, Hi: 0x1D17A, Stride: 1}, // musical beams and ties
		{Lo: 0xE0000, Hi: 0xE0FFF, Stride: 1}, // tags and what is reserved beside them
	},
}
