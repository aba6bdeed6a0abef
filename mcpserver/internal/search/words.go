package search

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// words splits a text into at most so many words, as they are compared: without case,
// accents and English endings, names cut where their case changes, and writing without
// spaces cut into characters.
func words(text string, most int) (all []string) {
	var word strings.Builder
	end := func() {
		if word.Len() > 0 && len(all) < most {
			all = append(all, stem(word.String()))
		}
		word.Reset()
	}
	var last rune
	for _, r := range norm.NFKD.String(text[:min(len(text), maxText)]) {
		if len(all) >= most {
			return all
		}
		switch {
		case unicode.Is(unicode.Mn, r): // an accent
			continue
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end()
			word.WriteRune(r)
			end()
		case unicode.IsUpper(r):
			if !unicode.IsUpper(last) {
				end()
			}
			word.WriteRune(unicode.ToLower(r))
		case unicode.IsLetter(r):
			if unicode.IsDigit(last) {
				end()
			}
			word.WriteRune(unicode.ToLower(r))
		case unicode.IsDigit(r):
			word.WriteRune(r)
		default:
			end()
		}
		last = r
	}
	end()
	return all
}

// maxText bounds one text in bytes.
const maxText = 64 << 10

// stem cuts the commonest English endings, so that a query in the singular finds a
// plural. It does not need to be right, only the same on both sides.
func stem(w string) string {
	for _, ending := range [...][2]string{{"ies", "y"}, {"sses", "ss"}, {"ing", ""}, {"ed", ""}, {"es", ""}, {"s", ""}} {
		if base, ok := strings.CutSuffix(w, ending[0]); ok && len(base) >= 3 && !strings.HasSuffix(base, "s") {
			w = base + ending[1]
			break
		}
	}
	if base, ok := strings.CutSuffix(w, "e"); ok && len(base) >= 3 {
		return base
	}
	return w
}
