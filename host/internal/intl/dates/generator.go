package dates

import (
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/glovebox-run/glovebox/host/internal/intl/cldr"
)

// generator finds the best pattern for a skeleton (DateTimePatternGenerator of
// ICU, whose rules of precedence these are).
type generator struct {
	data    *cldr.Dates
	hour    byte   // the hour letter of the locale
	decimal string // between seconds and their fraction
	entries []entry

	looseHours bool // hours are as long as in the pattern, not as asked for
}

// entry is a pattern for a skeleton. Given ones come from CLDR's list of
// available formats; the others were read off a pattern.
type entry struct {
	base     string
	text     string // of the skeleton
	skeleton skeleton
	pattern  string
	given    bool
}

// Single fields that every skeleton can be built from.
var singles = []string{"G", "y", "Q", "M", "w", "W", "E", "d", "D", "F", "a", "H", "m", "s", "S", "v"}

// known holds the entries of data locales, made when first needed and never
// changed: reading some ninety skeletons takes longer than anything else here.
var known sync.Map // data locale -> []entry

func newGenerator(locale string, data *cldr.Dates, hour byte, decimal string) *generator {
	g := &generator{data: data, hour: hour, decimal: decimal}
	if entries, ok := known.Load(locale); ok {
		g.entries = entries.([]entry)
		return g
	}
	g.build()
	known.Store(locale, g.entries)
	return g
}

func (g *generator) build() {
	data := g.data
	for _, s := range singles {
		g.add(s, "", false)
	}
	for _, style := range []string{"full", "long", "medium", "short"} {
		g.add(data.Date[style], "", false)
		g.add(data.Time[style], "", false)
	}
	for _, name := range slices.Sorted(keys(data.Available)) {
		g.add(data.Available[name], name, true)
	}
	slices.SortStableFunc(g.entries, func(a, b entry) int { return int(a.base[0]) - int(b.base[0]) })
}

func keys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// add lists a pattern under the skeleton, or under its own fields.
func (g *generator) add(pattern, under string, override bool) {
	given := under != ""
	if !given {
		under = pattern
	}
	s := skeletonOf(under)
	base, text := s.baseText(), s.text()
	if base == "" {
		return
	}
	for i, e := range g.entries {
		if e.base == base && !e.given && !override {
			return
		}
		if e.text == text {
			if !override || given && e.given {
				return
			}
			if e.base == base {
				g.entries[i] = entry{base, text, s, pattern, given}
				return
			}
		}
	}
	g.entries = append(g.entries, entry{base, text, s, pattern, given})
}

// raw is the entry that is closest to a skeleton.
func (g *generator) raw(s skeleton, mask int) (best entry, missing, extra int) {
	bestDistance := 1 << 30
	for _, e := range g.entries {
		d, m, x := s.distance(e.skeleton, mask)
		if d < bestDistance || d == bestDistance && missing < m {
			best, bestDistance, missing, extra = e, d, m, x
			if d == 0 {
				break
			}
		}
	}
	return best, missing, extra
}

// loose is the best pattern whose hours are as long as the pattern says.
func (g *generator) loose(s skeleton) string {
	l := *g
	l.looseHours = true
	return l.best(s)
}

// best is the pattern for a skeleton.
func (g *generator) best(s skeleton) string {
	e, missing, extra := g.raw(s, -1)
	if missing == 0 && extra == 0 {
		return g.adjust(s, e, false)
	}
	needed := s.mask()
	date, clock := g.append(s, needed&dateMask), g.append(s, needed&timeMask)
	if date == "" || clock == "" {
		return date + clock
	}
	return g.glue(s, date, clock)
}

// glue joins a date and a time; which way depends on how long the month is.
func (g *generator) glue(s skeleton, date, clock string) string {
	style := "short"
	switch s[monthField].base {
	case 4:
		style = "long"
		if s[weekdayField].kind != 0 {
			style = "full"
		}
	case 3:
		style = "medium"
	}
	return strings.NewReplacer("{0}", clock, "{1}", date).Replace(g.data.AtTime[style])
}

var appendKeys = [fieldCount]string{"Era", "Year", "Quarter", "Month", "Week", "", "Day-Of-Week", "", "", "Day", "", "Hour", "Minute", "Second", "", "Timezone"}
var nameKeys = [fieldCount]string{"era", "year", "quarter", "month", "week", "weekOfMonth", "weekday", "dayOfYear", "weekdayOfMonth", "day", "dayperiod", "hour", "minute", "second", "", "zone"}

// append finds the best pattern for some of the fields and appends the fields
// that it lacks one after the other.
func (g *generator) append(s skeleton, fields int) string {
	if fields == 0 {
		return ""
	}
	e, missing, _ := g.raw(s, fields)
	result := g.adjust(s, e, false)
	last := 0
	for missing != 0 && missing != last {
		const both = 1<<secondField | 1<<fractionField
		if missing&both == 1<<fractionField && fields&both == both {
			e.pattern = result
			result = g.adjust(s, e, true)
			missing &^= 1 << fractionField
			continue
		}
		start := missing
		var next entry
		next, missing, _ = g.raw(s, missing)
		found := bits.Len(uint(start&^missing)) - 1
		if found < 0 {
			break
		}
		format, name := g.data.Append[appendKeys[found]], g.data.Fields[nameKeys[found]]
		if format == "" {
			format = "{0} ├{2}: {1}┤"
		}
		result = strings.NewReplacer("{0}", result, "{1}", g.adjust(s, next, false), "{2}", "'"+name+"'").Replace(format)
		last = start
	}
	return result
}

// adjust gives the fields of a pattern the lengths that were asked for. With
// fraction, the digits of a second are put behind it.
func (g *generator) adjust(s skeleton, e entry, fraction bool) string {
	items := parsePattern(e.pattern)
	var out []item
	for _, it := range items {
		row, ok := typeOf(it.letter, it.length)
		if it.letter == 0 || !ok {
			out = append(out, it)
			continue
		}
		asked := s[row.field]
		if fraction && row.field == secondField {
			out = append(out, it, item{literal: g.decimal}, item{letter: 'S', length: s[fractionField].length})
			continue
		}
		if asked.kind != 0 {
			it = g.adjustField(it, row, asked.letter, asked.length, e)
		}
		out = append(out, it)
	}
	return patternText(out)
}

func (g *generator) adjustField(it item, row fieldType, letter byte, length int, e entry) item {
	if letter == 'E' && length < 3 {
		length = 3
	}
	adjusted := length
	switch {
	case row.field == minuteField || row.field == secondField || row.field == hourField && g.looseHours:
		adjusted = it.length
	case e.given && letter != 'c' && letter != 'e':
		theirs := e.skeleton[row.field]
		if theirs.length == length || (row.kind > 0) != (theirs.kind > 0) {
			adjusted = it.length
		}
	}
	c := letter
	switch row.field {
	case hourField, monthField, weekdayField:
		c = it.letter
	case yearField:
		if letter != 'Y' {
			c = it.letter
		}
	}
	if c == 'E' && adjusted < 3 {
		c = 'e'
	}
	if row.field == hourField {
		switch {
		case letter == g.hour:
			c = g.hour
		case letter == 'h' && g.hour == 'K':
			c = 'K'
		case letter == 'H' && g.hour == 'k':
			c = 'k'
		case letter == 'k' && g.hour == 'H':
			c = 'H'
		case letter == 'K' && g.hour == 'h':
			c = 'h'
		}
	}
	return item{letter: c, length: adjusted}
}
