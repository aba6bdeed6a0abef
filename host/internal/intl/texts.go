package intl

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
	"github.com/glovebox-run/glovebox/host/internal/intl/number"
)

// listFormat is Intl.ListFormat.
type listFormat struct {
	locale, language, kind, style string
	patterns                      map[string]string
}

func newList(l cldr.Locale, _ cldr.Tag, options json.RawMessage) (formatter, error) {
	o := struct{ Type, Style string }{"conjunction", "long"}
	if err := read(options, &o); err != nil {
		return nil, err
	}
	text, err := cldr.LoadText(l.Data)
	if err != nil {
		return nil, err
	}
	key := map[string]string{"conjunction": "standard", "disjunction": "or", "unit": "unit"}[o.Type]
	if o.Style != "long" {
		key += "-" + o.Style
	}
	return listFormat{l.Tag.String(), l.Tag.Language, o.Type, o.Style, text.Lists[key]}, nil
}

func (f listFormat) resolved() any {
	return struct {
		Locale string `json:"locale"`
		Type   string `json:"type"`
		Style  string `json:"style"`
	}{f.locale, f.kind, f.style}
}

func (f listFormat) do(verb string, items []string) (any, error) {
	parts := f.parts(items)
	switch verb {
	case "format":
		return number.Text(parts), nil
	case "parts":
		return parts, nil
	}
	return nil, noVerb(verb)
}

// parts builds from the end, as CLDR's patterns nest, in one pass.
func (f listFormat) parts(items []string) []number.Part {
	var parts []number.Part
	add := func(kind, value string) {
		if value == "" && kind == "literal" {
			return
		}
		if n := len(parts); n > 0 && kind == "literal" && parts[n-1].Type == kind {
			parts[n-1].Value += value
			return
		}
		parts = append(parts, number.Part{Type: kind, Value: value})
	}
	if len(items) == 0 {
		return []number.Part{}
	}
	var tails []string // literals after the last element, innermost last
	for i, item := range items {
		pattern := f.patterns["middle"]
		switch rest := len(items) - 1 - i; {
		case rest == 0:
			add("element", item)
			for j := len(tails) - 1; j >= 0; j-- {
				add("literal", tails[j])
			}
			return parts
		case len(items) == 2:
			pattern = f.joining(f.patterns["2"], items[1])
		case rest == 1:
			pattern = f.joining(f.patterns["end"], items[i+1])
		case i == 0:
			pattern = f.patterns["start"]
		}
		before, rest, _ := strings.Cut(pattern, "{0}")
		between, after, _ := strings.Cut(rest, "{1}")
		add("literal", before)
		add("element", item)
		add("literal", between)
		tails = append(tails, after)
	}
	return parts
}

// joining changes the word before the last element where the language does so by
// its sound: Spanish y, o; Hebrew before letters of another script.
func (f listFormat) joining(pattern, next string) string {
	lower := strings.ToLower(next)
	starts := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(lower, p) {
				return true
			}
		}
		return false
	}
	switch f.language {
	case "es":
		if starts("i", "hi") && !starts("hia", "hie") {
			pattern = strings.Replace(pattern, "} y {", "} e {", 1)
		}
		if starts("o", "ho", "8") || lower == "11" || starts("11 ") {
			pattern = strings.Replace(pattern, "} o {", "} u {", 1)
		}
	case "he":
		if r, _ := utf8.DecodeRuneInString(next); !unicode.Is(unicode.Hebrew, r) {
			pattern = strings.Replace(pattern, " ו{1}", " ו-{1}", 1)
		}
	}
	return pattern
}

// relativeFormat is Intl.RelativeTimeFormat.
type relativeFormat struct {
	locale, style, numeric string
	text                   *cldr.Text
	numbers                *number.Format
}

func newRelative(l cldr.Locale, asked cldr.Tag, options json.RawMessage) (formatter, error) {
	o := struct{ Style, Numeric, NumberingSystem string }{Style: "long", Numeric: "always"}
	if err := read(options, &o); err != nil {
		return nil, err
	}
	tag := l.Tag
	keyword(&tag, asked, "nu", &o.NumberingSystem, isNumbering)
	text, err := cldr.LoadText(l.Data)
	if err != nil {
		return nil, err
	}
	numbers, err := number.New(l, number.Options{NumberingSystem: o.NumberingSystem})
	return relativeFormat{tag.String(), o.Style, o.Numeric, text, numbers}, err
}

func (f relativeFormat) resolved() any {
	return struct {
		Locale          string `json:"locale"`
		Style           string `json:"style"`
		Numeric         string `json:"numeric"`
		NumberingSystem string `json:"numberingSystem"`
	}{f.locale, f.style, f.numeric, f.numbers.Options.NumberingSystem}
}

// do writes args[0] of the unit args[1].
func (f relativeFormat) do(verb string, args []string) (any, error) {
	value, unit := argument(args, 0), argument(args, 1)
	key := unit
	if f.style != "long" {
		key += "-" + f.style
	}
	entry, ok := f.text.Relative[key]
	if !ok {
		return nil, badRange("Invalid unit argument for format() '%s'", unit)
	}
	type part struct {
		Type  string `json:"type"`
		Value string `json:"value"`
		Unit  string `json:"unit,omitempty"`
	}
	parts := []part{}
	if special := entry.Special[strings.Replace(value, "-0", "0", 1)]; special != "" && f.numeric == "auto" {
		parts = append(parts, part{Type: "literal", Value: special})
	} else {
		magnitude, past := strings.CutPrefix(value, "-")
		numberParts, err := f.numbers.Parts(magnitude)
		if err != nil {
			return nil, err
		}
		category, err := f.numbers.Category(magnitude, false)
		if err != nil {
			return nil, err
		}
		patterns := entry.Future
		if past {
			patterns = entry.Past
		}
		pattern := patterns[category]
		if pattern == "" {
			pattern = patterns["other"]
		}
		before, after, has := strings.Cut(pattern, "{0}")
		if before != "" {
			parts = append(parts, part{Type: "literal", Value: before})
		}
		if has {
			for _, p := range numberParts {
				parts = append(parts, part{p.Type, p.Value, unit})
			}
		}
		if after != "" {
			parts = append(parts, part{Type: "literal", Value: after})
		}
	}
	switch verb {
	case "parts":
		return parts, nil
	case "format":
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(p.Value)
		}
		return b.String(), nil
	}
	return nil, noVerb(verb)
}
