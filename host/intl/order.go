package intl

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/rivo/uniseg"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/glovebox-run/glovebox/host/intl/cldr"
)

// collator is Intl.Collator over golang.org/x/text/collate. Its levels: base
// letters, accents, case.
type collator struct {
	locale string
	o      collatorOptions

	base, accent, variant *collate.Collator
}

type collatorOptions struct {
	Usage             string `json:"usage"`
	Sensitivity       string `json:"sensitivity"`
	IgnorePunctuation bool   `json:"ignorePunctuation"`
	Collation         string `json:"collation"`
	Numeric           bool   `json:"numeric"`
	CaseFirst         string `json:"caseFirst"`
}

func newCollator(l cldr.Locale, asked cldr.Tag, options json.RawMessage) (formatter, error) {
	c := &collator{o: collatorOptions{Usage: "sort", Sensitivity: "variant", Collation: "default", CaseFirst: "false"}}
	c.o.IgnorePunctuation = l.Tag.Language == "th"
	var given struct {
		Numeric              *bool
		CaseFirst, Collation string
	}
	if err := read(options, &c.o); err != nil {
		return nil, err
	}
	if err := read(options, &given); err != nil {
		return nil, err
	}
	tag := l.Tag
	if value, ok := asked.Keyword("kn"); ok && (given.Numeric == nil || *given.Numeric == (value == "")) && (value == "" || value == "false") {
		c.o.Numeric = value == ""
		tag = tag.WithKeyword("kn", value)
	}
	c.o.CaseFirst = given.CaseFirst
	keyword(&tag, asked, "kf", &c.o.CaseFirst, func(s string) bool { return s == "upper" || s == "lower" || s == "false" })
	c.o.Collation = given.Collation
	keyword(&tag, asked, "co", &c.o.Collation, func(s string) bool { return collations[l.Tag.Language+"/"+s] || s == "eor" || s == "emoji" })
	if c.o.Collation == "" {
		c.o.Collation = "default"
	}
	if c.o.CaseFirst == "" {
		c.o.CaseFirst = "false"
		if l.Tag.Language == "da" {
			c.o.CaseFirst = "upper"
		}
	}
	c.locale = tag.String()
	t := language.Make(l.Tag.String() + "-u" + c.extension())
	with := func(more ...collate.Option) *collate.Collator {
		if c.o.Numeric {
			more = append(more, collate.Numeric)
		}
		return collate.New(t, append(more, collate.OptionsFromTag(t))...)
	}
	c.base, c.accent, c.variant = with(collate.IgnoreCase, collate.IgnoreDiacritics), with(collate.IgnoreCase), with()
	return c, nil
}

// collations are those besides the standard one that both CLDR and x/text have.
var collations = map[string]bool{"de/phonebk": true, "es/trad": true, "zh/pinyin": true, "zh/stroke": true, "zh/unihan": true, "ja/unihan": true, "ko/unihan": true, "sv/trad": true, "si/dict": true}

func (c *collator) extension() string {
	e := "-ks-level3"
	if c.o.Collation != "default" {
		e = "-co-" + c.o.Collation + e
	}
	return e
}

func (c *collator) resolved() any {
	return struct {
		Locale string `json:"locale"`
		collatorOptions
	}{c.locale, c.o}
}

// do compares the first argument with the second: -1, 0 or 1.
func (c *collator) do(verb string, args []string) (any, error) {
	if verb != "compare" {
		return nil, noVerb(verb)
	}
	return c.compare(argument(args, 0), argument(args, 1)), nil
}

func (c *collator) compare(a, b string) int {
	a, b = norm.NFC.String(a), norm.NFC.String(b)
	if c.o.IgnorePunctuation {
		a, b = unpunctuated(a), unpunctuated(b)
	}
	switch c.o.Sensitivity {
	case "base":
		return c.base.CompareString(a, b)
	case "accent":
		return c.accent.CompareString(a, b)
	case "case":
		if order := c.base.CompareString(a, b); order != 0 {
			return order
		}
		return c.byCase(c.variant.CompareString(unaccented(a), unaccented(b)))
	}
	if order := c.accent.CompareString(a, b); order != 0 {
		return order
	}
	return c.byCase(c.variant.CompareString(a, b))
}

// byCase turns the order of what differs in case alone.
func (c *collator) byCase(order int) int {
	if c.o.CaseFirst == "upper" {
		return -order
	}
	return order
}

// unpunctuated drops what CLDR calls variable: spaces and punctuation, not
// symbols. (The shifted order of x/text finds everything equal.)
func unpunctuated(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsPunct(r) {
			return -1
		}
		return r
	}, s)
}

func unaccented(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
}

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
