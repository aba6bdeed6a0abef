package glyph

import (
	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"

	"strings"
	"unicode"
	"unicode/utf8"
)

type span struct{ start, end int }

// mixedWords finds words in which letters of Latin and look-alikes of another
// script stand side by side, and which are wholly Latin once the look-alikes are
// read as what they look like. A text in two languages keeps them in separate
// words, and its other words have letters that look like nothing Latin.
func mixedWords(s string) []span {
	var found []span
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(c) {
			i += size
			continue
		}
		w := span{start: i}
		latin, alike, other := 0, 0, 0
		for i < len(s) {
			c, size = utf8.DecodeRuneInString(s[i:])
			if !unicode.IsLetter(c) && !isZeroWidth(c) {
				break
			}
			switch {
			case c < utf8.RuneSelf && ascii.Letter(byte(c)):
				latin++
			case lookAlikes[c] != 0:
				alike++
			case !isZeroWidth(c):
				other++
			}
			i += size
		}
		w.end = i
		if latin > 0 && alike > 0 && other == 0 && latin+alike > 2 {
			found = append(found, w)
		}
	}
	return found
}

func latinise(word string) string {
	return strings.Map(func(c rune) rune {
		if l, ok := lookAlikes[c]; ok {
			return l
		}
		return c
	}, word)
}

// lookAlikes are letters of other scripts whose usual shape is that of a Latin
// letter. Letters that serve as symbols in Latin text (µ, π, Ω, ∆) are not here.
var lookAlikes = func() map[rune]rune {
	m := map[rune]rune{}
	for _, row := range [][2]string{
		// Cyrillic
		{"аеорсухіјѕһԁԛԝӏьАВЕКМНОРСТУХІЈЅԌԚԜк", "aeopcyxijshdqwlbABEKMHOPCTYXIJSGQWk"},
		// Greek
		{"ονρτυκιαχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovptukiaxABEZHIKMNOPTYX"},
		// Armenian, Cherokee, Lisu
		{"օոսհցզ", "onuhgq"},
		{"ᎪᏴᏟᎠᎬᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ", "ABCDEHJKLMPRSTVWZ"},
	} {
		from, to := []rune(row[0]), []rune(row[1])
		for i, c := range from {
			m[c] = to[i]
		}
	}
	return m
}()

// LooksLatin reports a letter of another script whose shape is that of a Latin
// one.
func LooksLatin(c rune) bool { return lookAlikes[c] != 0 }
