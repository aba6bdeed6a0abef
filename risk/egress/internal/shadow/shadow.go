// Package shadow makes the text that a reader would understand, without escapes and
// characters nobody sees, with the way back to the original.
package shadow

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/jsonwalk"
)

// Shadow is a text as a reader would understand it, with the way back to the
// original.
type Shadow struct {
	Text      []byte
	Unwrapped [][2]int // what was read as quoted-printable, in the original
	pairs     []pair
	original  []byte
}

// pair says that from shadow position at on, bytes stood at from in the original,
// one after the other, up to the next pair.
type pair struct{ at, from int }

func (d *Shadow) reset() {
	d.Text, d.pairs, d.Unwrapped = d.Text[:0], d.pairs[:0], d.Unwrapped[:0]
}

// mark notes that what is added next stood at from.
func (d *Shadow) mark(from int) {
	if n := len(d.pairs); n == 0 || d.pairs[n-1].from+len(d.Text)-d.pairs[n-1].at != from {
		d.pairs = append(d.pairs, pair{len(d.Text), from})
	}
}

func (d *Shadow) add(c byte, from int) {
	d.mark(from)
	d.Text = append(d.Text, c)
}

func (d *Shadow) addRun(run []byte, from int) {
	d.mark(from)
	d.Text = append(d.Text, run...)
}

// close notes where the original ends.
func (d *Shadow) close(end int) { d.mark(end) }

// Origin returns where a position of the shadow was in the original.
func (d *Shadow) Origin(at int) int {
	i, found := slices.BinarySearchFunc(d.pairs, at, func(p pair, at int) int { return p.at - at })
	if !found {
		i--
	}
	return d.pairs[i].from + at - d.pairs[i].at
}

// End returns where what ends at a position of the shadow ended in the original: before
// what a reader does not see.
func (d *Shadow) End(at int) int {
	if at > 0 {
		last := d.Origin(at - 1)
		if c := d.Text[at-1]; last < len(d.original) && d.original[last] == c && c != '\\' && c != '%' && c != '&' {
			return last + 1
		}
	}
	return d.Origin(at)
}

// UnquoteJSON writes the meaning of the inside of a JSON string.
func (d *Shadow) UnquoteJSON(inside []byte) {
	d.reset()
	d.original = inside
	for i := 0; i < len(inside); {
		if n := bytes.IndexByte(inside[i:], '\\'); n != 0 {
			if n < 0 {
				n = len(inside) - i
			}
			d.addRun(inside[i:i+n], i)
			i += n
			continue
		}
		var n int
		d.mark(i)
		d.Text, n = jsonwalk.UnquoteOne(d.Text, inside[i:])
		i += n
	}
	d.close(len(inside))
}

// esc begins a sequence that colours the text of a terminal.
const esc = 0x1b

// colour is the length of such a sequence at the start of a text, 0 for none.
func colour(text []byte) int {
	if len(text) < 3 || text[1] != '[' {
		return 0
	}
	for n := 2; n < len(text) && n < longestColour; n++ {
		switch c := text[n]; {
		case c >= '0' && c <= '9' || c == ';' || c == ':':
		case c >= 'A' && c <= 'z':
			return n + 1
		default:
			return 0
		}
	}
	return 0
}

// longestColour is the length of a sequence with two colours of 24 bits, in bytes.
const longestColour = 40

// Reveal writes a text without the characters that nobody sees and with one
// layer of escapes read: \n \" \/ \x41 \u0041, %41, &#65; &#x41; &quot;, and
// letters of full width as ordinary ones. It reports whether anything changed.
func (d *Shadow) Reveal(text []byte) bool {
	d.reset()
	d.original = text
	changed := false
	for i := 0; i < len(text); {
		c := text[i]
		n := 0
		switch {
		case c == '\\':
			var escape bool
			n, escape = d.backslash(text, i)
			changed = changed || escape
			i += n
			continue
		case c == esc:
			n = colour(text[i:])
		case c == '%':
			if b, ok := hexByte(text[i+1:]); ok {
				d.add(b, i)
				n = 3
			}
		case c == '&':
			n = d.entity(text, i)
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text[i:])
			switch {
			case hidden(r):
				n = size
			case r >= 0xff01 && r <= 0xff5e:
				d.add(byte(r-0xff01+'!'), i)
				n = size
			default:
				for j := range size {
					d.add(text[i+j], i+j)
				}
				i += size
				continue
			}
		}
		if n == 0 {
			d.add(c, i)
			i++
			continue
		}
		changed = true
		i += n
	}
	d.close(len(text))
	return changed
}

// backslash reads an escape; several backslashes count as one, because each
// layer of quoting doubles them. It returns the length read and whether that was
// an escape.
func (d *Shadow) backslash(text []byte, at int) (n int, escape bool) {
	i := at
	for i < len(text) && text[i] == '\\' {
		i++
	}
	if n := d.escape(text, at, i); n > 0 {
		return n, true
	}
	for j := at; j < i; j++ {
		d.add('\\', j)
	}
	return i - at, false
}

// escape reads what follows the backslashes from at to i. It returns the length
// of both, 0 when it is no escape.
func (d *Shadow) escape(text []byte, at, i int) int {
	if i == len(text) {
		return 0
	}
	switch c := text[i]; c {
	case 'n', 'r', 't':
		// Behind a drive letter or in a regular expression this is no line end, but
		// the hits are the same: none of the three is part of a token.
		d.add(map[byte]byte{'n': '\n', 'r': '\r', 't': '\t'}[c], at)
		return i + 1 - at
	case '"', '\'', '/', '`', '$', '=', '&', '-', '.', '_', '+':
		d.add(c, at)
		return i + 1 - at
	case 'x':
		if b, ok := hexByte(text[i+1:]); ok {
			d.add(b, at)
			return i + 3 - at
		}
	case 'u':
		digits := text[i+1:]
		n := 4
		if len(digits) > 0 && digits[0] == '{' {
			digits = digits[1:]
			n = bytes.IndexByte(digits, '}')
			if n < 2 || n > 6 {
				return 0
			}
			if r, ok := hexRune(digits[:n]); ok {
				d.rune(r, at)
				return i + 1 + n + 2 - at
			}
			return 0
		}
		if len(digits) < n {
			return 0
		}
		if r, ok := hexRune(digits[:n]); ok {
			d.rune(r, at)
			return i + 1 + n - at
		}
	}
	return 0
}

// rune adds a character that was escaped, unless it is a hidden one.
func (d *Shadow) rune(r rune, at int) {
	if hidden(r) {
		return
	}
	var b [utf8.UTFMax]byte
	for _, c := range b[:utf8.EncodeRune(b[:], r)] {
		d.add(c, at)
	}
}

func (d *Shadow) entity(text []byte, at int) int {
	rest := text[at+1 : min(len(text), at+12)]
	stop := bytes.IndexByte(rest, ';')
	if stop < 2 {
		return 0
	}
	name := rest[:stop]
	switch {
	case name[0] == '#' && len(name) > 2 && (name[1] == 'x' || name[1] == 'X'):
		if r, ok := hexRune(name[2:]); ok {
			d.rune(r, at)
			return stop + 2
		}
	case name[0] == '#':
		var r rune
		for _, c := range name[1:] {
			if c < '0' || '9' < c {
				return 0
			}
			r = r*10 + rune(c-'0')
		}
		d.rune(r, at)
		return stop + 2
	}
	for _, e := range [...]struct {
		name string
		c    byte
	}{{"quot", '"'}, {"apos", '\''}, {"amp", '&'}, {"lt", '<'}, {"gt", '>'}} {
		if string(name) == e.name {
			d.add(e.c, at)
			return stop + 2
		}
	}
	return 0
}

// hidden reports whether a character shows nothing: zero-width and directional
// marks, soft hyphens, variation selectors, tags and fillers.
func hidden(r rune) bool {
	switch {
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0, r == 0xfeff:
	case 0x180b <= r && r <= 0x180f:
	case 0x200b <= r && r <= 0x200f:
	case 0x202a <= r && r <= 0x202e:
	case 0x2060 <= r && r <= 0x206f:
	case 0xfe00 <= r && r <= 0xfe0f:
	case 0xfff9 <= r && r <= 0xfffb:
	case 0x1d173 <= r && r <= 0x1d17a:
	case 0xe0000 <= r && r <= 0xe0fff:
	default:
		return false
	}
	return true
}

func hexByte(s []byte) (byte, bool) {
	if len(s) < 2 {
		return 0, false
	}
	high, ok1 := ascii.Hex(s[0])
	low, ok2 := ascii.Hex(s[1])
	return high<<4 | low, ok1 && ok2
}

func hexRune(s []byte) (rune, bool) {
	var r rune
	for _, c := range s {
		v, ok := ascii.Hex(c)
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(v)
	}
	return r, len(s) > 0 && len(s) <= 6 && r <= utf8.MaxRune
}
