package number

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
)

// Range writes two numbers as a range. What is the same around both is written
// once when it is longer than one character, as ICU does.
func (f *Format) Range(start, end string) ([]Part, error) {
	a, err := f.write(start)
	if err != nil {
		return nil, err
	}
	b, err := f.write(end)
	if err != nil {
		return nil, err
	}
	if a.kind == notANumber || b.kind == notANumber {
		return nil, rangeError("a range has numbers at its ends")
	}
	first, last := f.layers(a), f.layers(b)
	if Text(first.parts()) == Text(last.parts()) {
		return f.approximately(a), nil
	}
	outer := Text(first.before)+"\x00"+Text(first.after) == Text(last.before)+"\x00"+Text(last.after)
	if f.Options.Style == "unit" || f.Options.CurrencyDisplay == "name" {
		outer = true
	}
	middle := outer && a.sign == b.sign && a.pattern(f) == b.pattern(f)
	affix := Text(first.prefix) + Text(first.suffix)
	collapsed := middle && utf8.RuneCountInString(affix) > 1
	repeats := !outer && len(first.before)+len(first.after) > 0 || !collapsed && affix != ""
	if f.Options.Notation == "scientific" || f.Options.Notation == "engineering" {
		repeats = true // exponents are never shared
	}

	left, right, _ := strings.Cut(strings.TrimPrefix(f.system.Range, "{0}"), "{1}")
	separator := left + right
	if repeats {
		if r, _ := utf8.DecodeRuneInString(separator); !unicode.IsSpace(r) {
			separator = " " + separator
		}
		if r, _ := utf8.DecodeLastRuneInString(separator); !unicode.IsSpace(r) {
			separator += " "
		}
	}
	if outer && a.whole != b.whole {
		category, err := cldr.PluralOfRange(f.Locale, a.whole, b.whole)
		if err != nil {
			return nil, err
		}
		first.before, first.after, _ = f.outer(category)
		last.before, last.after = first.before, first.after
	}
	var parts []Part
	add := func(source string, pieces ...[]Part) {
		for _, list := range pieces {
			for _, p := range list {
				p.Source = source
				parts = append(parts, p)
			}
		}
	}
	const shared, startRange, endRange = "shared", "startRange", "endRange"
	dash := []Part{{Type: "literal", Value: separator}}
	switch {
	case collapsed:
		add(shared, first.before, first.prefix)
		add(startRange, first.number)
		add(shared, dash)
		add(endRange, last.number)
		add(shared, last.suffix, last.after)
	case outer:
		add(shared, first.before)
		add(startRange, first.prefix, first.number, first.suffix)
		add(shared, dash)
		add(endRange, last.prefix, last.number, last.suffix)
		add(shared, last.after)
	default:
		add(startRange, first.before, first.prefix, first.number, first.suffix, first.after)
		add(shared, dash)
		add(endRange, last.before, last.prefix, last.number, last.suffix, last.after)
	}
	return join(parts), nil
}

// pattern tells apart the affixes of two numbers.
func (w written) pattern(f *Format) string { return f.pattern(w) }

// approximately is a range whose ends look the same: the sign stands for "about".
func (f *Format) approximately(w written) []Part {
	var parts []Part
	if w.sign == 0 {
		w.sign = '~'
		parts = f.layers(w).parts()
	} else {
		parts = append([]Part{{Type: "approximatelySign", Value: f.system.Symbols.ApproximatelySign}}, f.layers(w).parts()...)
	}
	for i := range parts {
		parts[i].Source = "shared"
	}
	return parts
}
