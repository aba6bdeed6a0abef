// Package dates writes times as Intl.DateTimeFormat does, in the Gregorian
// calendar: [New] resolves a set of options once, [Format.Parts] writes a time,
// [Format.Range] two.
//
// The pattern for a choice of components comes from generator.go, ranges from
// range.go, names of time zones from zone.go.
package dates

import (
	"strconv"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
	"github.com/glovebox-run/glovebox/host/internal/intl/number"
)

// Part is a piece of a formatted time and what it is.
type Part = number.Part

// Parts writes the time that is so many milliseconds from 1970.
func (f *Format) Parts(ms int64) []Part {
	return merged(f.write(f.pattern, f.at(ms), ""))
}

// Text writes the time as one text. As V8 does, with an ordinary space where
// newer CLDR has a narrow one, because programs parse these texts.
func (f *Format) Text(ms int64) string {
	return strings.ReplaceAll(number.Text(f.Parts(ms)), "\u202f", " ")
}

func (f *Format) at(ms int64) time.Time { return time.UnixMilli(ms).In(f.zone) }

// write fills in a pattern.
func (f *Format) write(pattern []item, t time.Time, source string) []Part {
	parts := make([]Part, 0, len(pattern))
	minutes := false
	for _, it := range pattern {
		minutes = minutes || it.letter == 'm'
	}
	for _, it := range pattern {
		if it.letter == 0 {
			parts = append(parts, Part{Type: "literal", Value: it.literal, Source: source})
			continue
		}
		kind, value := f.field(it, t, minutes)
		if kind != "" {
			parts = append(parts, Part{Type: kind, Value: value, Source: source})
		}
	}
	return parts
}

func merged(parts []Part) []Part {
	out := parts[:0:0]
	for _, p := range parts {
		if n := len(out); p.Value != "" {
			if n > 0 && p.Type == "literal" && out[n-1].Type == "literal" && out[n-1].Source == p.Source {
				out[n-1].Value += p.Value
				continue
			}
			out = append(out, p)
		}
	}
	return out
}

func width(n int) string {
	switch n {
	case 4:
		return "wide"
	case 5:
		return "narrow"
	case 6:
		return "short"
	}
	return "abbreviated"
}

// field writes one field; the kind is "" for letters that no option asks for.
func (f *Format) field(it item, t time.Time, minutes bool) (kind, value string) {
	n := it.length
	switch it.letter {
	case 'G':
		era := 1
		if t.Year() < 1 {
			era = 0
		}
		return "era", f.data.Eras[width(n)][era]
	case 'y', 'u', 'Y', 'r':
		year := t.Year()
		if year < 1 {
			year = 1 - year
		}
		if n == 2 {
			return "year", f.number(year%100, 2)
		}
		return "year", f.number(year, n)
	case 'M', 'L':
		if n < 3 {
			return "month", f.number(int(t.Month()), n)
		}
		return "month", f.data.Months[context(it.letter == 'M')+width(n)][t.Month()-1]
	case 'd':
		return "day", f.number(t.Day(), n)
	case 'E', 'e', 'c':
		return "weekday", f.data.Days[context(it.letter != 'c')+width(n)][t.Weekday()]
	case 'a', 'b':
		key := "am"
		if t.Hour() >= 12 {
			key = "pm"
		}
		return "dayPeriod", f.period(key, n)
	case 'B':
		return "dayPeriod", f.period(f.periodOf(t, minutes), n)
	case 'h':
		return "hour", f.number((t.Hour()+11)%12+1, n)
	case 'H':
		return "hour", f.number(t.Hour(), n)
	case 'K':
		return "hour", f.number(t.Hour()%12, n)
	case 'k':
		return "hour", f.number((t.Hour()+23)%24+1, n)
	case 'm':
		return "minute", f.number(t.Minute(), n)
	case 's':
		return "second", f.number(t.Second(), n)
	case 'S':
		ms := t.Nanosecond() / 1e6
		for i := n; i < 3; i++ {
			ms /= 10
		}
		return "fractionalSecond", f.number(ms, n)
	case 'z', 'v', 'O', 'V', 'Z':
		return "timeZoneName", f.zoneName(it, t)
	}
	return "", ""
}

func context(format bool) string {
	if format {
		return "format/"
	}
	return "stand-alone/"
}

// number writes a number with at least n digits, in the digits of the locale.
func (f *Format) number(value, n int) string {
	ascii := strconv.Itoa(value)
	ascii = strings.Repeat("0", max(0, n-len(ascii))) + ascii
	if f.digits == nil {
		return ascii
	}
	var b strings.Builder
	for i := range len(ascii) {
		b.WriteString(f.digits[ascii[i]-'0'])
	}
	return b.String()
}

func (f *Format) period(key string, n int) string {
	for _, w := range []string{width(n), "abbreviated", "wide"} {
		if name := f.data.Periods["format/"+w][key]; name != "" {
			return name
		}
	}
	return key
}

// periodOf is the part of the day by the rules of the language. Noon is
// exact: to the hour when no minutes are shown. Midnight has a word in some
// languages, which ICU does not use because it may end a day or begin it.
func (f *Format) periodOf(t time.Time, minutes bool) string {
	fallback := "am"
	if t.Hour() >= 12 {
		fallback = "pm"
	}
	w, err := cldr.World()
	if err != nil {
		return fallback
	}
	var rules map[string]map[string]string
	for _, name := range f.Locale.Chain() {
		if rules = w.DayPeriods[name]; rules != nil {
			break
		}
	}
	now := t.Format("15:04")
	exact := !minutes || t.Minute() == 0 && t.Second() == 0
	if exact {
		hour := t.Format("15") + ":00"
		if rules["noon"]["_at"] == hour && f.data.Periods["format/abbreviated"]["noon"] != "" {
			return "noon"
		}
	}
	for key, rule := range rules {
		from, before := rule["_from"], rule["_before"]
		if from == "" {
			continue
		}
		if from < before && now >= from && now < before || from > before && (now >= from || now < before) {
			return key
		}
	}
	return fallback
}
