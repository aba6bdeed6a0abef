// Package lookalike detects names that look the same to a person. [Letters]
// replaces letters of other scripts that look like Latin ones; [Skeleton] also drops
// case, separators and invisible characters, so that two names with the same
// skeleton can be mistaken for each other.
//
// The table holds the Cyrillic, Greek and Armenian letters that common fonts
// draw like a Latin one. It is a subset of the confusables of Unicode Technical
// Standard 39, chosen because tool names are short Latin identifiers: a wider
// table would call honest names in other scripts equal.
package lookalike

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// latin maps a letter to the Latin one it is drawn like.
var latin = pairs(
	// Cyrillic
	"аa", "еe", "оo", "рp", "сc", "уy", "хx", "іi", "јj", "ѕs", "ԁd", "ԛq", "ԝw", "һh", "ӏl", "ѵv", "ɡg", "кk", "тt", "мm", "нh", "вb",
	"АA", "ВB", "ЕE", "КK", "МM", "НH", "ОO", "РP", "СC", "ТT", "УY", "ХX", "ІI", "ЈJ", "ЅS", "ԌG", "ԚQ", "ԜW", "ӀI", "Ѵv",
	// Greek
	"αa", "οo", "νv", "ρp", "ιi", "κk", "υu", "χx", "γy", "ϲc", "ϳj",
	"ΑA", "ΒB", "ΕE", "ΖZ", "ΗH", "ΙI", "ΚK", "ΜM", "ΝN", "ΟO", "ΡP", "ΤT", "ΥY", "ΧX", "ϹC", "ͿJ",
	// Armenian and Latin extensions
	"օo", "սu", "հh", "ոn", "ցg", "զq", "ıi", "ȷj", "ʟL", "ɑa", "ʏY", "ⅼl", "ⅰi",
)

func pairs(list ...string) map[rune]rune {
	m := make(map[rune]rune, len(list))
	for _, pair := range list {
		two := []rune(pair)
		m[two[0]] = two[1]
	}
	return m
}

// Letters folds compatibility forms (full width, mathematical letters), drops
// accents and invisible characters, and replaces look-alike letters by the Latin
// ones. Case and separators stay.
func Letters(s string) string {
	if isPlain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || invisible(r) {
			return -1
		}
		if l, ok := latin[r]; ok {
			return l
		}
		return r
	}, norm.NFKD.String(s))
}

// Skeleton returns a name as a person reads it at a glance: [Letters] in lower case,
// without separators, with 0, 1, 5 and | read as o, l, s and l and the pairs rn and
// vv as m and w.
func Skeleton(s string) string {
	folded := strings.Map(func(r rune) rune {
		switch r {
		case '0':
			return 'o'
		case '1', '|', 'I':
			return 'l'
		case '5':
			return 's'
		}
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, Letters(s))
	folded = strings.ReplaceAll(folded, "i", "l")
	return strings.ReplaceAll(strings.ReplaceAll(folded, "rn", "m"), "vv", "w")
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// invisible reports whether r takes no room on a screen.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) ||
		r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x034F
}
