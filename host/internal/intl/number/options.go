package number

import (
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
)

// Options are those of Intl.NumberFormat, read and checked one by one already; a
// nil number was not given. After [New] they are the resolved ones.
type Options struct {
	NumberingSystem string `json:"numberingSystem,omitempty"`
	Style           string `json:"style,omitempty"`
	Currency        string `json:"currency,omitempty"`
	CurrencyDisplay string `json:"currencyDisplay,omitempty"`
	CurrencySign    string `json:"currencySign,omitempty"`
	Unit            string `json:"unit,omitempty"`
	UnitDisplay     string `json:"unitDisplay,omitempty"`

	MinimumIntegerDigits     *int `json:"minimumIntegerDigits,omitempty"`
	MinimumSignificantDigits *int `json:"minimumSignificantDigits,omitempty"`
	MaximumSignificantDigits *int `json:"maximumSignificantDigits,omitempty"`
	MinimumFractionDigits    *int `json:"minimumFractionDigits,omitempty"`
	MaximumFractionDigits    *int `json:"maximumFractionDigits,omitempty"`

	UseGrouping    string `json:"useGrouping,omitempty"` // "false" for none
	Notation       string `json:"notation,omitempty"`
	CompactDisplay string `json:"compactDisplay,omitempty"`
	SignDisplay    string `json:"signDisplay,omitempty"`

	RoundingMode        string `json:"roundingMode,omitempty"`
	RoundingIncrement   int    `json:"roundingIncrement,omitempty"`
	TrailingZeroDisplay string `json:"trailingZeroDisplay,omitempty"`
	RoundingPriority    string `json:"roundingPriority,omitempty"`
}

// Error is a bad combination of options; Type says whether it is a TypeError.
type Error struct {
	Type    bool
	Message string
}

func (e *Error) Error() string { return e.Message }

func rangeError(format string, args ...any) error {
	return &Error{Message: fmt.Sprintf(format, args...)}
}

// rounding says which digits are kept.
type rounding struct {
	fraction, significant bool // which limits apply; both: the priority decides
	compact               bool // to an integer, or two significant digits below ten
}

func or(s *string, fallback string) {
	if *s == "" {
		*s = fallback
	}
}

// resolve fills in defaults and refuses contradictions, as SetNumberFormatUnitOptions
// and SetNumberFormatDigitOptions of ECMA-402 do.
func (o *Options) resolve() (rounding, error) {
	or(&o.Style, "decimal")
	or(&o.Notation, "standard")
	or(&o.SignDisplay, "auto")
	or(&o.RoundingMode, "halfExpand")
	or(&o.RoundingPriority, "auto")
	or(&o.TrailingZeroDisplay, "auto")
	o.RoundingIncrement = max(o.RoundingIncrement, 1)
	minDefault, maxDefault := 0, 3
	switch o.Style {
	case "currency":
		or(&o.CurrencyDisplay, "symbol")
		or(&o.CurrencySign, "standard")
		if o.Notation == "standard" {
			digits := currencyDigits(o.Currency)
			minDefault, maxDefault = digits, digits
		}
	case "percent":
		maxDefault = 0
	case "unit":
		or(&o.UnitDisplay, "short")
	}
	if o.Style != "currency" {
		o.Currency, o.CurrencyDisplay, o.CurrencySign = "", "", ""
	}
	if o.Style != "unit" {
		o.Unit, o.UnitDisplay = "", ""
	}
	if o.RoundingIncrement != 1 {
		maxDefault = minDefault
	}
	if o.Notation == "compact" {
		or(&o.CompactDisplay, "short")
		or(&o.UseGrouping, "min2")
	} else {
		o.CompactDisplay = ""
		or(&o.UseGrouping, "auto")
	}
	return o.resolveDigits(minDefault, maxDefault)
}

func (o *Options) resolveDigits(minDefault, maxDefault int) (rounding, error) {
	var r rounding
	if o.MinimumIntegerDigits == nil {
		o.MinimumIntegerDigits = ptr(1)
	}
	hasSignificant := o.MinimumSignificantDigits != nil || o.MaximumSignificantDigits != nil
	hasFraction := o.MinimumFractionDigits != nil || o.MaximumFractionDigits != nil
	needSignificant, needFraction := true, true
	if o.RoundingPriority == "auto" {
		needSignificant = hasSignificant
		needFraction = !needSignificant && (hasFraction || o.Notation != "compact")
	}
	if needSignificant {
		low, high := 1, 21
		if o.MinimumSignificantDigits != nil {
			low = *o.MinimumSignificantDigits
		}
		if o.MaximumSignificantDigits != nil {
			high = *o.MaximumSignificantDigits
		}
		if low > high {
			return r, rangeError("minimumSignificantDigits is larger than maximumSignificantDigits")
		}
		o.MinimumSignificantDigits, o.MaximumSignificantDigits = ptr(low), ptr(high)
	} else {
		o.MinimumSignificantDigits, o.MaximumSignificantDigits = nil, nil
	}
	if needFraction {
		switch low, high := o.MinimumFractionDigits, o.MaximumFractionDigits; {
		case low == nil && high == nil:
			o.MinimumFractionDigits, o.MaximumFractionDigits = ptr(minDefault), ptr(maxDefault)
		case low == nil:
			o.MinimumFractionDigits = ptr(min(minDefault, *high))
		case high == nil:
			o.MaximumFractionDigits = ptr(max(maxDefault, *low))
		case *low > *high:
			return r, rangeError("minimumFractionDigits is larger than maximumFractionDigits")
		}
	} else {
		o.MinimumFractionDigits, o.MaximumFractionDigits = nil, nil
	}
	r = rounding{fraction: needFraction, significant: needSignificant}
	if !needFraction && !needSignificant {
		r.compact = true
		o.MinimumFractionDigits, o.MaximumFractionDigits = ptr(0), ptr(0)
		o.MinimumSignificantDigits, o.MaximumSignificantDigits = ptr(1), ptr(2)
		o.RoundingPriority = "morePrecision"
	}
	if o.RoundingIncrement != 1 {
		if needSignificant || r.compact {
			return r, &Error{Type: true, Message: "roundingIncrement works with fraction digits only"}
		}
		if *o.MinimumFractionDigits != *o.MaximumFractionDigits {
			return r, rangeError("roundingIncrement needs equal minimumFractionDigits and maximumFractionDigits")
		}
	}
	return r, nil
}

func ptr(n int) *int { return &n }

func currencyDigits(code string) int {
	w, err := cldr.World()
	if err != nil {
		return 2
	}
	f, ok := w.Fractions[code]
	if !ok {
		f = w.Fractions["DEFAULT"]
	}
	if d := f["_digits"]; len(d) == 1 {
		return int(d[0] - '0')
	}
	return 2
}

// Simple are the units that ECMA-402 sanctions; two may be joined by "-per-".
var Simple = []string{"acre", "bit", "byte", "celsius", "centimeter", "day", "degree", "fahrenheit", "fluid-ounce", "foot", "gallon", "gigabit",
	"gigabyte", "gram", "hectare", "hour", "inch", "kilobit", "kilobyte", "kilogram", "kilometer", "liter", "megabit", "megabyte", "meter", "microsecond", "mile",
	"mile-scandinavian", "milliliter", "millimeter", "millisecond", "minute", "month", "nanosecond", "ounce", "percent", "petabyte", "pound", "second",
	"stone", "terabit", "terabyte", "week", "yard", "year"}

// known reports whether a unit is well formed.
func known(unit string) bool {
	if slices.Contains(Simple, unit) {
		return true
	}
	a, b := cutPer(unit)
	return slices.Contains(Simple, a) && slices.Contains(Simple, b)
}
