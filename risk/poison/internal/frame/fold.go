package frame

import (
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"
)

// fold adds the words of a chunk to Folded.
func (x *cutter) fold(i, end int) {
	for i < end {
		c := x.s[i]
		if c < utf8.RuneSelf && !ascii.Letter(c) && !ascii.Digit(c) {
			i++
			continue
		}
		if len(x.Folded) > 0 {
			x.Folded = append(x.Folded, ' ')
		}
		w := Word{Hash: hashStart, From: int32(len(x.Folded)), quoted: x.quote != 0}
		letters, upper := 0, false
		for i < end {
			c := x.s[i]
			if c < utf8.RuneSelf {
				if ascii.Upper(c) {
					if letters > 0 && !upper {
						break // camelCase is two words
					}
					upper = true
				} else {
					upper = false
				}
				if c == '\'' && i+3 >= end {
					i++ // don't is dont, l'utente is two words
					continue
				}
				if !ascii.Letter(c) && !ascii.Digit(c) {
					break
				}
				c = ascii.Lower(c)
				x.Folded = append(x.Folded, c)
				w.Hash = (w.Hash ^ uint32(c)) * hashPrime
				i++
			} else {
				r, size := utf8.DecodeRuneInString(x.s[i:])
				i += size
				if r = foldRune(r); r < 0 {
					continue
				}
				x.Folded = utf8.AppendRune(x.Folded, r)
				w.Hash = (w.Hash ^ uint32(r)) * hashPrime
				upper = false
			}
			if letters++; letters == stemLength {
				w.Stem = w.Hash
			}
		}
		if letters < stemLength {
			w.Stem = w.Hash
		}
		if letters == 0 { // nothing but a point
			x.Folded = x.Folded[:max(int(w.From)-1, 0)]
			continue
		}
		w.To = int32(len(x.Folded))
		x.words = append(x.words, w)
	}
}

// runStep is how many bytes of a script without blanks count as a word.
const runStep = 6

// stemLength is how many letters of a word tell it apart: endings differ.
const stemLength = 5

const (
	hashStart = 2166136261 // FNV-1a
	hashPrime = 16777619
)
