package cldr

import "sync"

// Dates is the Gregorian calendar of a locale. Months, days and periods are by
// "format/wide", "stand-alone/narrow" and so on.
type Dates struct {
	Months  map[string][]string          // January first
	Days    map[string][]string          // Sunday first
	Periods map[string]map[string]string // am, pm, noon, morning1 ...
	Eras    map[string][]string          // by width: before, after

	Date, Time, DateTime, AtTime map[string]string // patterns by full, long, medium, short
	Available                    map[string]string // skeleton -> pattern
	Append                       map[string]string
	Ranges                       map[string]map[string]string // skeleton -> field that differs -> pattern
	RangeFallback                string
	Fields                       map[string]string // names of fields: "day", "day-short"
}

// ZoneNames are names of time zones.
type ZoneNames struct {
	HourFormat, GMTFormat, GMTZeroFormat, RegionFormat, FallbackFormat string

	Cities map[string]string    // by IANA name
	Zones  map[string]ZoneStyle // zones with names of their own
	Meta   map[string]ZoneStyle // metazones
}

// ZoneStyle is generic, standard and daylight.
type ZoneStyle struct {
	Long, Short map[string]string
}

// Numbers are symbols and patterns.
type Numbers struct {
	Default, Native, MinimumGrouping string

	Systems map[string]NumberSystem
}

// NumberSystem is what a locale writes in one system of digits. Short, Long and
// CurrencyShort are compact patterns by "1000-count-one".
type NumberSystem struct {
	Symbols                                              Symbols
	Decimal, Percent, Scientific                         string
	Currency, CurrencyAlpha, Accounting, AccountingAlpha string
	Short, Long, CurrencyShort                           map[string]string
	CurrencyNames                                        map[string]string // "{0} {1}" by category
	Range, Approximately                                 string
	SpaceBefore, SpaceAfter                              string
}

// Symbols of numbers.
type Symbols struct {
	Decimal, Group, PercentSign, PlusSign, MinusSign, ApproximatelySign, Exponential, Infinity, NaN string

	TimeSeparator                  string
	CurrencyDecimal, CurrencyGroup string
}

// Currency is the names of one, by "symbol", "narrow", "name" and category; what
// is the same as the code is absent.
type Currency map[string]string

// Units are patterns by width, unit and category or "per".
type Units struct {
	Long, Short, Narrow map[string]map[string]string
}

// Names are those of languages, regions, scripts and calendars.
type Names struct {
	Languages, Territories, Scripts, Variants, Calendars map[string]string

	Pattern struct{ LocalePattern, LocaleSeparator, LocaleKeyTypePattern string }
}

// Text is lists ("standard", "or-short") and relative times ("day", "day-short").
type Text struct {
	Lists    map[string]map[string]string
	Relative map[string]Relative
}

// Relative is how one unit of time is counted from now.
type Relative struct {
	Past, Future map[string]string // by category
	Special      map[string]string // by number: "-1" -> yesterday
}

// LoadDates and its sisters return a section of a data locale (Locale.Data).
func LoadDates(locale string) (*Dates, error)     { return load[Dates](locale, "dates") }
func LoadZones(locale string) (*ZoneNames, error) { return load[ZoneNames](locale, "zones") }
func LoadNumbers(locale string) (*Numbers, error) { return load[Numbers](locale, "numbers") }
func LoadUnits(locale string) (*Units, error)     { return load[Units](locale, "units") }
func LoadNames(locale string) (*Names, error)     { return load[Names](locale, "names") }
func LoadText(locale string) (*Text, error)       { return load[Text](locale, "text") }
func LoadCurrencies(locale string) (map[string]Currency, error) {
	c, err := load[map[string]Currency](locale, "currencies")
	if err != nil {
		return nil, err
	}
	return *c, nil
}

// Supplemental is what belongs to no one locale.
type Supplemental struct {
	Locales []string
	Parents map[string]string // data locale -> the one it inherits from

	Aliases struct{ Languages, Scripts, Regions, Variants map[string]string }
	Likely  map[string]string

	Cardinals, Ordinals map[string]map[string]string // locale -> category -> condition
	PluralRanges        map[string]map[string]string // locale -> "start end" -> category

	Digits     map[string]string            // numbering system -> its ten digits
	Fractions  map[string]map[string]string // currency -> _digits
	Hours      map[string]string            // region or locale -> "preferred allowed..."
	DayPeriods map[string]map[string]map[string]string

	ZoneAliases   map[string]string      // every name of a zone -> CLDR's
	ZonePeriods   map[string][][3]string // zone -> metazone, from, to
	ZoneOfMeta    map[string]string      // "America_Eastern/001" -> zone
	ZoneTerritory map[string]string

	available map[string]bool
}

// World returns the supplemental data.
func World() (*Supplemental, error) { return world() }

var world = sync.OnceValues(func() (*Supplemental, error) {
	s := new(Supplemental)
	if _, err := read("supplemental.json", s); err != nil {
		return nil, err
	}
	s.available = make(map[string]bool, len(s.Locales))
	for _, name := range s.Locales {
		s.available[name] = true
	}
	return s, nil
})
