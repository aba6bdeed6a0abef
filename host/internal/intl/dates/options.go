package dates

import (
	"fmt"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
	"github.com/glovebox-run/glovebox/host/internal/intl/number"
)

// Options are those of Intl.DateTimeFormat, read and checked one by one already.
// After [New] they are the resolved ones.
type Options struct {
	Calendar        string `json:"calendar,omitempty"`
	NumberingSystem string `json:"numberingSystem,omitempty"`
	TimeZone        string `json:"timeZone,omitempty"`
	HourCycle       string `json:"hourCycle,omitempty"`
	Hour12          *bool  `json:"hour12,omitempty"`

	Weekday                string `json:"weekday,omitempty"`
	Era                    string `json:"era,omitempty"`
	Year                   string `json:"year,omitempty"`
	Month                  string `json:"month,omitempty"`
	Day                    string `json:"day,omitempty"`
	DayPeriod              string `json:"dayPeriod,omitempty"`
	Hour                   string `json:"hour,omitempty"`
	Minute                 string `json:"minute,omitempty"`
	Second                 string `json:"second,omitempty"`
	FractionalSecondDigits int    `json:"fractionalSecondDigits,omitempty"`
	TimeZoneName           string `json:"timeZoneName,omitempty"`
	DateStyle              string `json:"dateStyle,omitempty"`
	TimeStyle              string `json:"timeStyle,omitempty"`

	// Required and Defaults are those of CreateDateTimeFormat: date, time, any;
	// date, time, all.
	Required string `json:"required,omitempty"`
	Defaults string `json:"defaults,omitempty"`
}

// Error is a bad time zone: a RangeError.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Format is a set of resolved options. It is immutable.
type Format struct {
	Locale  cldr.Locale
	Options Options

	data      *cldr.Dates
	generator *generator
	zone      *time.Location
	zones     *cldr.ZoneNames // nil while no zone is named
	digits    []string
	pattern   []item
	hour      byte // letter of the hour cycle; 0 when there is none
}

// New resolves options for a locale.
func New(l cldr.Locale, o Options) (*Format, error) {
	f := &Format{Locale: l, Options: o}
	var err error
	if f.data, err = cldr.LoadDates(l.Data); err != nil {
		return nil, err
	}
	numbers, err := cldr.LoadNumbers(l.Data)
	if err != nil {
		return nil, err
	}
	if number.Digits(f.Options.NumberingSystem) == nil {
		f.Options.NumberingSystem = numbers.Default
	}
	if f.Options.NumberingSystem != "latn" {
		f.digits = number.Digits(f.Options.NumberingSystem)
	}
	system, ok := numbers.Systems[f.Options.NumberingSystem]
	if !ok {
		system = numbers.Systems["latn"]
	}
	if f.Options.TimeZone == "" {
		f.Options.TimeZone = "UTC"
	}
	if f.zone, f.Options.TimeZone, err = loadZone(f.Options.TimeZone); err != nil {
		return nil, err
	}
	f.Options.Calendar = "gregory"
	f.setDefaults()
	usual, err := hourLetter(l)
	if err != nil {
		return nil, err
	}
	f.generator = newGenerator(l.Data, f.data, usual, system.Symbols.Decimal)
	f.setPattern(usual)
	for _, it := range f.pattern {
		if strings.IndexByte("zvOVZ", it.letter) >= 0 && it.letter != 0 {
			if f.zones, err = cldr.LoadZones(l.Data); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// setDefaults chooses components when none was asked for.
func (f *Format) setDefaults() {
	o := &f.Options
	date := o.Weekday+o.Year+o.Month+o.Day != ""
	clock := o.DayPeriod+o.Hour+o.Minute+o.Second != "" || o.FractionalSecondDigits > 0
	if o.DateStyle != "" || o.TimeStyle != "" {
		return
	}
	if (o.Required == "date" || o.Required == "any") && date || (o.Required == "time" || o.Required == "any") && clock {
		return
	}
	if o.Defaults == "date" || o.Defaults == "all" {
		o.Year, o.Month, o.Day = "numeric", "numeric", "numeric"
	}
	if o.Defaults == "time" || o.Defaults == "all" {
		o.Hour, o.Minute, o.Second = "numeric", "numeric", "numeric"
	}
}

// hourLetter is how the region of a locale counts hours.
func hourLetter(l cldr.Locale) (byte, error) {
	w, err := cldr.World()
	if err != nil {
		return 0, err
	}
	region := l.Region()
	for _, name := range []string{l.Tag.Language + "-" + region, region, "001"} {
		if h := w.Hours[name]; h != "" {
			return h[0], nil
		}
	}
	return 'H', nil
}

var cycleOf = map[byte]string{'K': "h11", 'h': "h12", 'H': "h23", 'k': "h24"}
var letterOf = map[string]byte{"h11": 'K', "h12": 'h', "h23": 'H', "h24": 'k'}

// cycle is the hour cycle that was asked for. With hour12 it is twelve hours from
// where the locale counts, or twenty-four from 0.
func (o Options) cycle(usual byte) byte {
	if o.Hour12 != nil {
		fromZero := usual == 'K' || usual == 'H'
		switch {
		case *o.Hour12 && fromZero:
			return 'K'
		case *o.Hour12:
			return 'h'
		}
		// Midnight is 00 and never 24, as ECMA-402 has it since 2023; tools that
		// add an hour to a date rely on it.
		return 'H'
	}
	if letter, ok := letterOf[o.HourCycle]; ok {
		return letter
	}
	return usual
}

var lengths = map[string]int{"numeric": 1, "2-digit": 2, "short": 3, "long": 4, "narrow": 5}

var zoneLetters = map[string]string{"short": "z", "long": "zzzz", "shortOffset": "O", "longOffset": "OOOO", "shortGeneric": "v", "longGeneric": "vvvv"}

// setPattern finds the pattern and what it resolves the options to.
func (f *Format) setPattern(usual byte) {
	o := &f.Options
	cycle := o.cycle(usual)
	if o.DateStyle != "" || o.TimeStyle != "" {
		f.pattern = f.styled(cycle)
	} else {
		var s strings.Builder
		put := func(letter byte, value string) {
			n := lengths[value]
			if n == 3 && strings.IndexByte("B", letter) >= 0 {
				n = 1
			}
			s.WriteString(strings.Repeat(string(letter), n))
		}
		put('E', o.Weekday)
		put('G', o.Era)
		put('y', o.Year)
		put('M', o.Month)
		put('d', o.Day)
		put('B', o.DayPeriod)
		put(cycle, o.Hour)
		put('m', o.Minute)
		put('s', o.Second)
		s.WriteString(strings.Repeat("S", o.FractionalSecondDigits))
		s.WriteString(zoneLetters[o.TimeZoneName])
		f.pattern = f.withCycle(parsePattern(f.generator.best(skeletonOf(s.String()))), cycle)
	}
	f.hour = 0
	for _, it := range f.pattern {
		if strings.IndexByte("hHkK", it.letter) >= 0 && it.letter != 0 {
			f.hour = cycle
		}
	}
	o.HourCycle, o.Hour12 = cycleOf[f.hour], nil
	if f.hour != 0 {
		twelve := f.hour == 'h' || f.hour == 'K'
		o.Hour12 = &twelve
	}
	if o.DateStyle == "" && o.TimeStyle == "" {
		o.read(f.pattern)
	}
}

// styled is the pattern of dateStyle and timeStyle.
func (f *Format) styled(cycle byte) []item {
	o := f.Options
	date, clock := f.data.Date[o.DateStyle], f.data.Time[o.TimeStyle]
	pattern := date + clock
	if date != "" && clock != "" {
		pattern = strings.NewReplacer("{0}", clock, "{1}", date).Replace(f.data.AtTime[o.DateStyle])
	}
	items := parsePattern(pattern)
	for i, it := range items {
		if it.letter != 0 && strings.IndexByte("hHkK", it.letter) >= 0 && it.letter != cycle {
			// Another hour cycle has other words around it: ask again by fields.
			for j := range items {
				switch {
				case j == i:
					items[j].letter = cycle
				case items[j].letter != 0 && strings.IndexByte("abB", items[j].letter) >= 0:
					items[j] = item{}
				}
			}
			var s strings.Builder
			for _, it := range items {
				if it.letter != 0 {
					s.WriteString(strings.Repeat(string(it.letter), it.length))
				}
			}
			return f.withCycle(parsePattern(f.generator.best(skeletonOf(s.String()))), cycle)
		}
	}
	return items
}

// withCycle writes the hours of a pattern with the letter of a cycle.
func (f *Format) withCycle(items []item, cycle byte) []item {
	var out []item
	for _, it := range items {
		if it.letter != 0 && strings.IndexByte("hHkK", it.letter) >= 0 {
			if n := len(out); n > 0 && out[n-1].letter == 'd' {
				out = append(out, item{literal: " "})
			}
			it.letter = cycle
		}
		out = append(out, it)
	}
	return out
}

// read sets the options to what a pattern shows.
func (o *Options) read(items []item) {
	o.Weekday, o.Era, o.Year, o.Month, o.Day, o.DayPeriod, o.Hour, o.Minute, o.Second, o.TimeZoneName = "", "", "", "", "", "", "", "", "", ""
	o.FractionalSecondDigits = 0
	numberOr := func(n int) string {
		if n == 2 {
			return "2-digit"
		}
		return "numeric"
	}
	words := func(n int) string {
		return map[int]string{4: "long", 5: "narrow"}[max(n, 3)]
	}
	for _, it := range items {
		word := words(it.length)
		if word == "" {
			word = "short"
		}
		switch it.letter {
		case 'E', 'c', 'e':
			o.Weekday = word
		case 'G':
			o.Era = word
		case 'y':
			o.Year = numberOr(it.length)
		case 'M', 'L':
			if o.Month = word; it.length < 3 {
				o.Month = numberOr(it.length)
			}
		case 'd':
			o.Day = numberOr(it.length)
		case 'B':
			o.DayPeriod = word
		case 'h', 'H', 'K', 'k':
			o.Hour = numberOr(it.length)
		case 'm':
			o.Minute = numberOr(it.length)
		case 's':
			o.Second = numberOr(it.length)
		case 'S':
			o.FractionalSecondDigits = it.length
		case 'z', 'O', 'v':
			o.TimeZoneName = map[byte]string{'z': "short", 'O': "shortOffset", 'v': "shortGeneric"}[it.letter]
			if it.length == 4 {
				o.TimeZoneName = strings.Replace(o.TimeZoneName, "short", "long", 1)
			}
		}
	}
}

func invalidZone(name string) error {
	return &Error{fmt.Sprintf("Invalid time zone specified: %s", name)}
}
