// Package number writes numbers as Intl.NumberFormat does: [New] resolves a set
// of options once, [Format.Parts] writes a number, [Format.Range] two.
package number

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
)

// Part is a piece of a formatted number and what it is.
type Part struct {
	Type   string `json:"type"`
	Value  string `json:"value"`
	Source string `json:"source,omitempty"` // of a range: startRange, endRange, shared
}

// Format is a set of resolved options. It is immutable.
type Format struct {
	Locale   cldr.Locale
	Options  Options
	rounding rounding

	system     cldr.NumberSystem
	digits     []string // ten, or nil for ASCII
	grouping   grouping
	currencies map[string]cldr.Currency
	units      map[string]map[string]string
}

type grouping struct{ primary, secondary, minimum int }

// New resolves options for a locale.
func New(l cldr.Locale, o Options) (*Format, error) {
	f := &Format{Locale: l, Options: o}
	var err error
	if f.rounding, err = f.Options.resolve(); err != nil {
		return nil, err
	}
	numbers, err := cldr.LoadNumbers(l.Data)
	if err != nil {
		return nil, err
	}
	o = f.Options
	if o.Style == "currency" {
		if f.currencies, err = cldr.LoadCurrencies(l.Data); err != nil {
			return nil, err
		}
	}
	if o.Style == "unit" {
		if !known(o.Unit) {
			return nil, rangeError("no such unit: %q", o.Unit)
		}
		units, err := cldr.LoadUnits(l.Data)
		if err != nil {
			return nil, err
		}
		f.units = map[string]map[string]map[string]string{"long": units.Long, "narrow": units.Narrow}[o.UnitDisplay]
		if f.units == nil {
			f.units = units.Short
		}
	}
	f.setSystem(numbers)
	return f, nil
}

func (f *Format) setSystem(numbers *cldr.Numbers) {
	if f.Options.NumberingSystem == "" {
		f.Options.NumberingSystem = numbers.Default
	}
	digits := Digits(f.Options.NumberingSystem)
	if digits == nil {
		f.Options.NumberingSystem, digits = numbers.Default, Digits(numbers.Default)
	}
	if f.Options.NumberingSystem != "latn" {
		f.digits = digits
	}
	var ok bool
	if f.system, ok = numbers.Systems[f.Options.NumberingSystem]; !ok {
		f.system = numbers.Systems["latn"]
	}
	latin := numbers.Systems["latn"] // has what others lack
	for _, table := range []struct{ own, latin *map[string]string }{{&f.system.Short, &latin.Short}, {&f.system.Long, &latin.Long}, {&f.system.CurrencyShort, &latin.CurrencyShort}} {
		if len(*table.own) == 0 {
			*table.own = *table.latin
		}
	}
	minimum, err := strconv.Atoi(numbers.MinimumGrouping)
	if err != nil {
		minimum = 1
	}
	// "#,##,##0.###": the groups are 3 and then 2 digits.
	pattern := f.stylePattern()
	integer, _, _ := strings.Cut(strings.Split(pattern, ";")[0], ".")
	integer = integer[max(0, strings.IndexAny(integer, "#0,")):]
	groups := strings.Split(integer, ",")
	g := &f.grouping
	if n := len(groups); n > 1 {
		g.primary = strings.Count(groups[n-1], "0") + strings.Count(groups[n-1], "#")
		g.secondary = g.primary
		if n > 2 {
			g.secondary = len(groups[n-2])
		}
	}
	g.minimum = minimum
	switch f.Options.UseGrouping {
	case "false":
		g.primary = 0
	case "always", "true":
		g.minimum = 1
		if g.primary == 0 {
			g.primary, g.secondary = 3, 3
		}
	case "min2":
		g.minimum = max(2, minimum)
	}
}

// Digits are the ten digits of a numbering system, or nil.
func Digits(system string) []string {
	w, err := cldr.World()
	if err != nil || w.Digits[system] == "" {
		return nil
	}
	return strings.Split(w.Digits[system], "")
}

// rounded is a number after rounding, with the power of ten its notation takes
// out.
type rounded struct {
	decimal
	power       int
	minFraction int // zeros to show, with minSignificant
}

// Written is a number as it will be written, before affixes.
type written struct {
	rounded
	integer, fraction string
	sign              byte   // '-', '+' or 0
	category          string // of the digits that are written
	whole             string // of the number that they stand for in compact notation
}

// write rounds a number and decides its sign and plural category.
func (f *Format) write(text string) (written, error) {
	d, err := parse(text)
	if err != nil {
		return written{}, rangeError("%v", err)
	}
	if f.Options.Style == "percent" {
		d = d.shift(2)
	}
	w := written{rounded: f.roundForNotation(d)}
	if w.kind == finite {
		minInteger := *f.Options.MinimumIntegerDigits
		w.integer, w.fraction = w.split(minInteger, w.minFraction)
		if f.Options.TrailingZeroDisplay == "stripIfInteger" && strings.Trim(w.fraction, "0") == "" {
			w.fraction = ""
		}
	}
	w.sign = f.signOf(w.decimal)
	w.category, w.whole = "other", "other"
	if w.kind == finite {
		w.category, err = cldr.Plural(f.Locale, false, w.operands())
		w.whole = w.category
	}
	if err == nil && f.Options.Notation == "compact" && w.power > 0 {
		w.whole, err = cldr.Plural(f.Locale, false, w.wholeOperands())
	}
	return w, err
}

// operands are what plural rules look at.
func (w written) operands() cldr.Operands {
	integer, _ := w.split(0, 0)
	return cldr.Operands{Integer: integer, Fraction: w.fraction}
}

// wholeOperands are those of the number that a compact one stands for, with the
// exponent that was taken out: French has million de jours.
func (w written) wholeOperands() cldr.Operands {
	whole := w.shift(w.power)
	integer, _ := whole.split(0, 0)
	_, fraction := whole.split(0, max(0, len(w.fraction)-w.power))
	return cldr.Operands{Integer: integer, Fraction: fraction, Exponent: w.power}
}

// one reports whether the digits are a one and nothing else.
func (w written) one() bool { return strings.TrimLeft(w.integer, "0") == "1" && w.fraction == "" }

// Category is the plural category of a number as this format writes it.
func (f *Format) Category(text string, ordinal bool) (string, error) {
	w, err := f.write(text)
	if err != nil || w.kind != finite || !ordinal {
		return w.category, err
	}
	return cldr.Plural(f.Locale, true, w.operands())
}

func (f *Format) signOf(d decimal) byte {
	zero := d.zero()
	if d.kind == notANumber {
		zero, d.negative = true, false
	}
	switch f.Options.SignDisplay {
	case "never":
		return 0
	case "always":
		if d.negative {
			return '-'
		}
		return '+'
	case "exceptZero":
		if zero {
			return 0
		}
		if d.negative {
			return '-'
		}
		return '+'
	case "negative":
		if d.negative && !zero {
			return '-'
		}
		return 0
	}
	if d.negative {
		return '-'
	}
	return 0
}

// roundForNotation takes a power of ten out and rounds; when rounding carries
// into another digit the power is looked at again.
func (f *Format) roundForNotation(d decimal) rounded {
	power := f.power(d)
	r := f.round(d.shift(-power))
	r.power = power
	if r.kind == finite && !r.zero() {
		if again := f.power(r.shift(power)); again != power {
			r = f.round(d.shift(-again))
			r.power = again
		}
	}
	return r
}

// power is the exponent that is taken out of a number.
func (f *Format) power(d decimal) int {
	if d.kind != finite || d.zero() {
		return 0
	}
	magnitude := d.magnitude()
	switch f.Options.Notation {
	case "scientific":
		return magnitude
	case "engineering":
		return floorDiv(magnitude, 3) * 3
	case "compact":
		_, zeros, at := f.compactPattern(magnitude, "other", false)
		if zeros == 0 {
			return 0
		}
		return at - zeros + 1
	}
	return 0
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// round applies the limits of digits.
func (f *Format) round(d decimal) rounded {
	o := f.Options
	if d.kind != finite {
		return rounded{decimal: d}
	}
	byFraction := func() rounded {
		return rounded{decimal: d.round(-*o.MaximumFractionDigits, o.RoundingIncrement, o.RoundingMode), minFraction: *o.MinimumFractionDigits}
	}
	bySignificant := func() rounded {
		r := d.round(d.magnitude()-*o.MaximumSignificantDigits+1, 1, o.RoundingMode)
		return rounded{decimal: r, minFraction: max(0, *o.MinimumSignificantDigits-r.magnitude()-1)}
	}
	switch r := f.rounding; {
	case r.compact:
		// Two digits at most, but every digit of the integer.
		if d.magnitude() >= 1 {
			return rounded{decimal: d.round(0, 1, o.RoundingMode)}
		}
		return rounded{decimal: d.round(d.magnitude()-1, 1, o.RoundingMode)}
	case r.fraction && r.significant:
		// The place of the last digit that each allows: lower is more precise.
		significantPlace, fractionPlace := d.magnitude()-*o.MaximumSignificantDigits+1, -*o.MaximumFractionDigits
		if (significantPlace <= fractionPlace) == (o.RoundingPriority == "morePrecision") {
			return bySignificant()
		}
		return byFraction()
	case r.significant:
		return bySignificant()
	}
	return byFraction()
}

// compactPattern finds the pattern for a magnitude: its text, its number of
// zeros (0: the number as it is) and the magnitude it is listed under.
func (f *Format) compactPattern(magnitude int, category string, one bool) (pattern string, zeros, at int) {
	table := f.system.Short
	switch {
	case f.Options.Style == "currency" && f.Options.CurrencyDisplay != "name":
		table = f.system.CurrencyShort
	case f.Options.CompactDisplay == "long":
		table = f.system.Long
	}
	for at = min(magnitude, largestCompact); at >= 3; at-- {
		key := "1" + strings.Repeat("0", at) + "-count-"
		usual, ok := table[key+"other"]
		if !ok {
			continue
		}
		if zeros = strings.Count(unquote(usual), "0"); usual == "0" {
			zeros = 0
		}
		if pattern, ok = table[key+"1"]; ok && one {
			return pattern, zeros, at
		}
		if pattern, ok = table[key+category]; !ok {
			pattern = usual
		}
		return pattern, zeros, at
	}
	return "", 0, magnitude
}

// largestCompact is the magnitude of the largest number with a compact pattern
// in any locale: Japanese has one for 10 to the 19th.
const largestCompact = 19

// unquote blanks quoted text, whose zeros are not digits.
func unquote(pattern string) string {
	var b strings.Builder
	quoted := false
	for _, r := range pattern {
		if r == '\'' {
			quoted = !quoted
		} else if !quoted {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isSymbol is the negation of CLDR's currencyMatch: no space is put between a
// digit and such a character.
func isSymbol(r rune) bool {
	return r == utf8.RuneError || unicode.IsSymbol(r) || unicode.In(r, unicode.Z)
}
