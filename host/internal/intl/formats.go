package intl

import (
	"encoding/json"
	"strconv"

	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
	"github.com/glovebox-run/glovebox/host/internal/intl/dates"
	"github.com/glovebox-run/glovebox/host/internal/intl/number"
)

// argument returns one of the arguments of a verb; a missing one is "".
func argument(args []string, i int) string {
	if i < len(args) {
		return args[i]
	}
	return ""
}

func noVerb(verb string) error { return badRange("no verb %q", verb) }

// numberFormat is Intl.NumberFormat.
type numberFormat struct {
	locale string
	f      *number.Format
}

func newNumbers(l cldr.Locale, asked cldr.Tag, options json.RawMessage) (formatter, error) {
	var o number.Options
	if err := read(options, &o); err != nil {
		return nil, err
	}
	tag := l.Tag
	keyword(&tag, asked, "nu", &o.NumberingSystem, isNumbering)
	f, err := number.New(l, o)
	if err != nil {
		return nil, err
	}
	return numberFormat{tag.String(), f}, nil
}

func (n numberFormat) resolved() any {
	return struct {
		Locale string `json:"locale"`
		number.Options
	}{n.locale, n.f.Options}
}

func (n numberFormat) do(verb string, args []string) (any, error) {
	var parts []number.Part
	var err error
	switch verb {
	case "format", "parts":
		parts, err = n.f.Parts(argument(args, 0))
	case "range", "rangeParts":
		parts, err = n.f.Range(argument(args, 0), argument(args, 1))
	default:
		return nil, noVerb(verb)
	}
	if err != nil {
		return nil, err
	}
	if verb == "format" || verb == "range" {
		return number.Text(parts), nil
	}
	return parts, nil
}

// dateTimeFormat is Intl.DateTimeFormat.
type dateTimeFormat struct {
	locale string
	f      *dates.Format
}

func newDates(l cldr.Locale, asked cldr.Tag, options json.RawMessage) (formatter, error) {
	var o dates.Options
	if err := read(options, &o); err != nil {
		return nil, err
	}
	tag := l.Tag
	keyword(&tag, asked, "ca", &o.Calendar, func(s string) bool { return s == "gregory" })
	if o.Hour12 != nil {
		o.HourCycle = ""
	} else {
		keyword(&tag, asked, "hc", &o.HourCycle, func(s string) bool { return s == "h11" || s == "h12" || s == "h23" || s == "h24" })
	}
	keyword(&tag, asked, "nu", &o.NumberingSystem, isNumbering)
	f, err := dates.New(l, o)
	if err != nil {
		return nil, err
	}
	return dateTimeFormat{tag.String(), f}, nil
}

func (d dateTimeFormat) resolved() any {
	o := d.f.Options
	o.Required, o.Defaults = "", ""
	return struct {
		Locale string `json:"locale"`
		dates.Options
	}{d.locale, o}
}

// latest is the time in milliseconds that a Date of JavaScript reaches.
const latest = 8_640_000_000_000_000

func (d dateTimeFormat) do(verb string, args []string) (any, error) {
	var at [2]int64
	for i := range min(len(args), 2) {
		ms, err := strconv.ParseInt(args[i], 10, 64)
		if err != nil || ms > latest || ms < -latest {
			return nil, badRange("Invalid time value")
		}
		at[i] = ms
	}
	switch verb {
	case "format":
		return d.f.Text(at[0]), nil
	case "parts":
		return d.f.Parts(at[0]), nil
	case "range":
		return d.f.RangeText(at[0], at[1]), nil
	case "rangeParts":
		return d.f.Range(at[0], at[1]), nil
	}
	return nil, noVerb(verb)
}

// pluralRules is Intl.PluralRules.
type pluralRules struct {
	locale, kind string
	f            *number.Format
	categories   []string
}

func newPlurals(l cldr.Locale, _ cldr.Tag, options json.RawMessage) (formatter, error) {
	var o struct {
		number.Options
		Type string
	}
	if err := read(options, &o); err != nil {
		return nil, err
	}
	o.Style = ""
	f, err := number.New(l, o.Options)
	if err != nil {
		return nil, err
	}
	if o.Type == "" {
		o.Type = "cardinal"
	}
	categories, err := cldr.PluralCategories(l, o.Type == "ordinal")
	return pluralRules{l.Tag.String(), o.Type, f, categories}, err
}

func (p pluralRules) resolved() any {
	o := p.f.Options
	return struct {
		Locale string `json:"locale"`
		Type   string `json:"type"`
		number.Options
		Categories []string `json:"pluralCategories"`
	}{p.locale, p.kind, number.Options{
		MinimumIntegerDigits: o.MinimumIntegerDigits, MinimumFractionDigits: o.MinimumFractionDigits, MaximumFractionDigits: o.MaximumFractionDigits,
		MinimumSignificantDigits: o.MinimumSignificantDigits, MaximumSignificantDigits: o.MaximumSignificantDigits,
		RoundingMode: o.RoundingMode, RoundingIncrement: o.RoundingIncrement, RoundingPriority: o.RoundingPriority, TrailingZeroDisplay: o.TrailingZeroDisplay,
	}, p.categories}
}

func (p pluralRules) do(verb string, args []string) (any, error) {
	start, err := p.f.Category(argument(args, 0), p.kind == "ordinal")
	if err != nil || verb == "select" {
		return start, err
	}
	if verb != "selectRange" {
		return nil, noVerb(verb)
	}
	end, err := p.f.Category(argument(args, 1), p.kind == "ordinal")
	if err != nil {
		return nil, err
	}
	return cldr.PluralOfRange(p.f.Locale, start, end)
}
