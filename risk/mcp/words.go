package mcp

import (
	"unicode"

	"github.com/glovebox-run/glovebox/risk/lookalike"
)

// splitWords cuts an identifier into lower-case words: at everything that is not
// a letter or digit, where lower case turns upper (deleteFile) and before the
// last capital of a run (HTTPServer). Look-alike letters are read as the Latin
// ones they imitate, so that a Cyrillic е does not hide a verb.
func splitWords(name string) []string {
	runes := []rune(lookalike.Letters(name))
	var words []string
	start := -1
	flush := func(end int) {
		if start >= 0 {
			words = append(words, lower(runes[start:end]))
			start = -1
		}
	}
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush(i)
			continue
		}
		if start >= 0 && unicode.IsUpper(r) {
			afterLower := !unicode.IsUpper(runes[i-1])
			lastOfRun := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if afterLower || lastOfRun {
				flush(i)
			}
		}
		if start < 0 {
			start = i
		}
	}
	flush(len(runes))
	return words
}

func lower(runes []rune) string {
	out := make([]rune, len(runes))
	for i, r := range runes {
		out[i] = unicode.ToLower(r)
	}
	return string(out)
}
