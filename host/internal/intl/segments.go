package intl

import (
	"encoding/json"
	"unicode"
	"unicode/utf16"

	"github.com/rivo/uniseg"

	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
)

// segmenter is Intl.Segmenter over Unicode's rules (UAX 29).
type segmenter struct{ locale, granularity string }

func newSegmenter(l cldr.Locale, _ cldr.Tag, options json.RawMessage) (formatter, error) {
	o := struct{ Granularity string }{"grapheme"}
	err := read(options, &o)
	return segmenter{l.Tag.String(), o.Granularity}, err
}

func (s segmenter) resolved() any {
	return struct {
		Locale      string `json:"locale"`
		Granularity string `json:"granularity"`
	}{s.locale, s.granularity}
}

// do answers with the ends of the segments of a text, in UTF-16 units; those of
// words that are like words are negative.
func (s segmenter) do(verb string, args []string) (any, error) {
	if verb != "segment" {
		return nil, noVerb(verb)
	}
	ends := []int{}
	at, state := 0, -1
	for rest := argument(args, 0); rest != ""; {
		var segment string
		switch s.granularity {
		case "word":
			segment, rest, state = uniseg.FirstWordInString(rest, state)
		case "sentence":
			segment, rest, state = uniseg.FirstSentenceInString(rest, state)
		default:
			segment, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		}
		wordLike := false
		for _, r := range segment {
			at += utf16.RuneLen(r)
			wordLike = wordLike || unicode.IsLetter(r) || unicode.IsNumber(r)
		}
		if wordLike && s.granularity == "word" {
			ends = append(ends, -at)
		} else {
			ends = append(ends, at)
		}
	}
	return ends, nil
}
