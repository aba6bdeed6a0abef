package intl

import (
	"strings"
	"testing"
)

// A tool's limits do not see what the host does, so work must not grow with the
// square of a text: the second of each pair has twice the first's and should take
// about twice its time.
func BenchmarkLongTexts(b *testing.B) {
	for _, c := range []struct{ name, request, verb, piece string }{
		{"words of marks", `{"service":"Segmenter","options":{"granularity":"word"}}`, "segment", "\u0301"},
		{"words of letters and quotes", `{"service":"Segmenter","options":{"granularity":"word"}}`, "segment", "a'"},
		{"sentences of closers", `{"service":"Segmenter","options":{"granularity":"sentence"}}`, "segment", ".)"},
		{"sentences of numbers", `{"service":"Segmenter","options":{"granularity":"sentence"}}`, "segment", ". 1"},
		{"graphemes of flags", `{"service":"Segmenter"}`, "segment", "🇰"},
		{"keys of marks", `{"service":"Collator","locales":["ko"]}`, "key", "\u0327\u0301"},
		{"keys of digits", `{"service":"Collator","locales":["en"],"options":{"numeric":true}}`, "key", "1"},
		{"digits", `{"service":"NumberFormat"}`, "format", "9"},
	} {
		for _, n := range []int{10_000, 20_000} {
			text := strings.Repeat(c.piece, n)
			b.Run(c.name, func(b *testing.B) {
				for b.Loop() {
					if _, err := call(b, c.request, c.verb, text); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
