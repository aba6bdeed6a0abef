package intl

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
)

// collator is Intl.Collator over golang.org/x/text/collate. Its levels: base
// letters, accents, case.
type collator struct {
	locale string
	o      collatorOptions

	base, accent, variant *collate.Collator
	order                 scriptOrder
	buf                   collate.Buffer // its first 4 KiB cost more than a short key
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
	c.order = orderOf(t, l.Tag.Language)
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

// do answers with the sort key of a text, as hexadecimal digits: keys compare as
// the texts do, and a sort asks once for each text and not for each pair.
func (c *collator) do(verb string, args []string) (any, error) {
	if verb != "key" {
		return nil, noVerb(verb)
	}
	return hex.EncodeToString(c.key(argument(args, 0))), nil
}

// key joins the levels that the sensitivity looks at, the most important first.
func (c *collator) key(s string) []byte {
	s = norm.NFC.String(s)
	if c.o.IgnorePunctuation {
		s = unpunctuated(s)
	}
	of := func(by *collate.Collator, s string) []byte {
		c.buf.Reset()
		return c.order.apply(by.KeyFromString(&c.buf, s))
	}
	switch c.o.Sensitivity {
	case "base":
		return of(c.base, s)
	case "accent":
		return of(c.accent, s)
	case "case":
		return join(of(c.base, s), c.cased(of(c.variant, unaccented(s))))
	}
	return join(of(c.accent, s), c.cased(of(c.variant, s)))
}

// join puts a level behind another. No weight is zero, so a text that ends sorts
// before one that goes on.
func join(first, second []byte) []byte {
	return append(append(first, 0, 0, 0), second...)
}

// cased turns the order of what differs in case alone.
func (c *collator) cased(key []byte) []byte {
	if c.o.CaseFirst == "upper" {
		for i := range key {
			key[i] = ^key[i]
		}
	}
	return key
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
