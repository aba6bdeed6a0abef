package dates

import (
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/host/internal/intl/number"
)

// Ranges follow ICU's DateIntervalFormat: CLDR lists patterns for some skeletons
// and for the largest field that differs; for the rest the two ends are written
// in full with a dash between.

// differing fields, the largest first, as CLDR's letters.
const differing = "GyMdahmsS"

// difference is the largest field in which two times differ, or 0.
func difference(a, b time.Time) byte {
	switch {
	case (a.Year() < 1) != (b.Year() < 1):
		return 'G'
	case a.Year() != b.Year():
		return 'y'
	case a.Month() != b.Month():
		return 'M'
	case a.Day() != b.Day():
		return 'd'
	case a.Hour()/12 != b.Hour()/12:
		return 'a'
	case a.Hour() != b.Hour():
		return 'h'
	case a.Minute() != b.Minute():
		return 'm'
	case a.Second() != b.Second():
		return 's'
	case a.Nanosecond()/1e6 != b.Nanosecond()/1e6:
		return 'S'
	}
	return 0
}

// RangeText writes two times as one text. When they look the same it is the text
// of one.
func (f *Format) RangeText(start, end int64) string {
	if field := difference(f.at(start), f.at(end)); field == 0 || f.ignores(field) {
		return f.Text(start)
	}
	return number.Text(f.Range(start, end))
}

// Range writes two times as a range.
func (f *Format) Range(start, end int64) []Part {
	a, b := f.at(start), f.at(end)
	field := difference(a, b)
	if field == 0 || f.ignores(field) {
		return merged(f.write(f.pattern, a, "shared"))
	}
	r := f.newRange()
	pattern, whole := r.pattern(field)
	if pattern != "" {
		return f.writeRange(parsePattern(pattern), a, b)
	}
	items := f.withCycle(parsePattern(r.whole()), f.hour)
	sameDay := strings.IndexByte("GyMd", field) < 0
	if whole != "" {
		items = f.withCycle(parsePattern(whole), f.hour)
	} else if sameDay && r.found && r.date != "" && r.clock != "" {
		clock := f.joined(parsePattern(f.inCycle(r.clock)), a, b)
		return f.together(f.write(parsePattern(r.datePattern()), a, "shared"), clock)
	}
	return merged(f.joined(items, a, b))
}

// joined writes both ends in full.
func (f *Format) joined(items []item, a, b time.Time) []Part {
	left, right, _ := strings.Cut(strings.Replace(f.data.RangeFallback, "{0}", "", 1), "{1}")
	parts := ends(f.write(items, a, "startRange"))
	parts = append(parts, Part{Type: "literal", Value: left, Source: "shared"})
	parts = append(parts, ends(f.write(items, b, "endRange"))...)
	return append(parts, Part{Type: "literal", Value: right, Source: "shared"})
}

// ends makes what lies outside the first and the last field of an end shared.
func ends(parts []Part) []Part {
	for i := 0; i < len(parts) && parts[i].Type == "literal"; i++ {
		parts[i].Source = "shared"
	}
	for i := len(parts) - 1; i >= 0 && parts[i].Type == "literal"; i-- {
		parts[i].Source = "shared"
	}
	return parts
}

// together puts a date and a range of times into the pattern for both.
func (f *Format) together(date, clock []Part) []Part {
	var parts []Part
	for _, it := range splitGlue(f.glued("\x01", "\x00")) {
		switch it {
		case "\x00":
			parts = append(parts, clock...)
		case "\x01":
			parts = append(parts, date...)
		default:
			parts = append(parts, Part{Type: "literal", Value: it, Source: "shared"})
		}
	}
	return merged(parts)
}

// glued joins the patterns of a date and of a range of times.
func (f *Format) glued(date, clock string) string {
	return strings.NewReplacer("{0}", clock, "{1}", date).Replace(f.data.DateTime["medium"])
}

// splitGlue unquotes a pattern whose places are \x00 and \x01.
func splitGlue(pattern string) []string {
	var out []string
	for _, it := range parsePattern(pattern) {
		rest := it.literal
		for rest != "" {
			at := strings.IndexAny(rest, "\x00\x01")
			if at < 0 {
				out = append(out, rest)
				break
			}
			out = append(out, rest[:at], rest[at:at+1])
			rest = rest[at+1:]
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// writeRange fills in a pattern that shows some fields twice: from the first
// repeated field on it is the end.
func (f *Format) writeRange(items []item, a, b time.Time) []Part {
	seen := map[field]int{}
	cut := len(items)
	for i, it := range items {
		row, ok := typeOf(it.letter, it.length)
		if it.letter == 0 || !ok {
			continue
		}
		if _, twice := seen[row.field]; twice {
			cut = i
			break
		}
		seen[row.field] = i
	}
	// Fields shown once belong to both ends; those shown twice to one each.
	repeated := map[field]bool{}
	for _, it := range items[cut:] {
		if row, ok := typeOf(it.letter, it.length); ok && it.letter != 0 {
			if _, first := seen[row.field]; first {
				repeated[row.field] = true
			}
		}
	}
	var parts []Part
	start, end := span(items[:cut], repeated), span(items[cut:], repeated)
	for i, it := range items {
		source, t := "shared", a
		switch {
		case i < cut && i >= start.from && i < start.to:
			source = "startRange"
		case i >= cut && i-cut >= end.from && i-cut < end.to:
			source, t = "endRange", b
		case i >= cut:
			t = b
		}
		parts = append(parts, f.write([]item{it}, t, source)...)
	}
	return merged(parts)
}

type fromTo struct{ from, to int }

// span runs from the first field that is shown twice to the last.
func span(items []item, repeated map[field]bool) fromTo {
	s := fromTo{-1, -1}
	for i, it := range items {
		if row, ok := typeOf(it.letter, it.length); ok && it.letter != 0 && repeated[row.field] {
			if s.from < 0 {
				s.from = i
			}
			s.to = i + 1
		}
	}
	return s
}

// ignores reports whether the format shows nothing as small as a field.
func (f *Format) ignores(field byte) bool { return ignored(patternText(f.pattern), field) }

func ignored(pattern string, field byte) bool {
	level := strings.IndexByte(differing, field)
	for _, it := range parsePattern(pattern) {
		if it.letter != 0 && levelOf(it.letter) >= level {
			return false
		}
	}
	return true
}

func levelOf(letter byte) int {
	switch letter {
	case 'L':
		letter = 'M'
	case 'E', 'c', 'e', 'D':
		letter = 'd'
	case 'b', 'B':
		letter = 'a'
	case 'H', 'k', 'K':
		letter = 'h'
	}
	return strings.IndexByte(differing, letter)
}

// ranges are the patterns of one format.
type ranges struct {
	f           *Format
	skeleton    skeleton
	date, clock string // skeletons of the two halves, normal form
	fullDate    string
	found       bool
	best        string
	exactness   int // 0 the same, 1 other lengths, 2 another kind of zone or hour
}

func (f *Format) newRange() *ranges {
	r := &ranges{f: f, skeleton: skeletonOf(patternText(f.pattern))}
	r.split()
	wanted := r.date
	if r.clock != "" {
		wanted = r.clock
	}
	r.best, r.exactness = r.closest(wanted)
	r.found = r.best != "" && r.exactness >= 0
	if r.clock != "" {
		r.clock = f.generator.loose(skeletonOf(r.clock))
	}
	return r
}

// split makes the two normal forms of the skeleton.
func (r *ranges) split() {
	repeat := func(letter byte, n int) string { return strings.Repeat(string(letter), n) }
	order := []field{eraField, yearField, monthField, weekdayField, dayField, periodField, hourField, minuteField, secondField, fractionField, zoneField}
	for _, i := range order {
		s := r.skeleton[i]
		if s.kind == 0 {
			continue
		}
		letter, n := s.letter, s.length
		switch i {
		case monthField:
			if n < 3 {
				n = 1
			}
		case weekdayField:
			letter = 'E'
			if n <= 3 {
				n = 1
			}
		case dayField, hourField, minuteField, zoneField:
			n = 1
		case periodField:
			if letter == 'a' {
				continue
			}
		}
		if i < periodField {
			r.date += repeat(letter, n)
			r.fullDate += repeat(s.letter, s.length)
		} else {
			r.clock += repeat(letter, n)
		}
	}
}

func (r *ranges) datePattern() string { return r.f.generator.loose(skeletonOf(r.fullDate)) }

// whole is the pattern in which an end is written in full: what the skeleton
// gives, which need not be the pattern that the skeleton was read from.
func (r *ranges) whole() string { return r.f.generator.loose(r.skeleton) }

// widths counts the letters of a skeleton.
func widths(skeleton string) (w [128]int) {
	for i := range len(skeleton) {
		w[skeleton[i]&127]++
	}
	return w
}

// closest is the skeleton with ranges that is nearest to one.
func (r *ranges) closest(wanted string) (best string, exactness int) {
	exchanged := strings.NewReplacer("z", "v", "k", "H", "K", "h", "a", "", "b", "").Replace(wanted)
	mine := widths(exchanged)
	bestDistance := 1 << 30
	for _, name := range sortedKeys(r.f.data.Ranges) {
		theirs := widths(name)
		distance, kind := 0, 1
		for c := range mine {
			a, b := mine[c], theirs[c]
			switch {
			case a == b:
			case a == 0 || b == 0:
				distance += 0x1000
				kind = -1
			case c == 'M' && (a <= 2) != (b <= 2):
				distance += 0x100
			default:
				distance += max(a-b, b-a)
			}
		}
		if distance < bestDistance {
			best, bestDistance, exactness = name, distance, kind
		}
		if distance == 0 {
			exactness = 0
			break
		}
	}
	if exchanged != wanted && exactness != -1 {
		exactness = 2
	}
	return best, exactness
}

func sortedKeys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// pattern returns the pattern of a range whose ends differ in a field, or the
// pattern in which both ends are written whole; "" for the format's own.
func (r *ranges) pattern(field byte) (pattern, whole string) {
	small := strings.IndexByte("ahm", field) >= 0
	big := strings.IndexByte("GyMd", field) >= 0
	switch {
	case r.clock == "":
		if r.found && big {
			return r.listed(field, r.date), ""
		}
		return "", ""
	case r.date == "":
		if big { // times of two days show their days
			days := "yMd"
			if field == 'G' {
				days = "GyMd"
			}
			return "", r.f.generator.loose(skeletonOf(days + r.skeleton.text()))
		}
		if r.found && small {
			return r.listed(field, r.clockSkeleton()), ""
		}
		return "", ""
	case !r.found:
		return "", ""
	case big:
		// A date that lacks the field that differs gets it.
		level := strings.IndexByte("GyMd", field)
		lacks := []field_{{'d', dayField}, {'M', monthField}, {'y', yearField}, {'G', eraField}}
		add := ""
		for _, l := range lacks {
			if r.skeleton[l.field].kind == 0 {
				add = string(l.letter) + add
				if strings.IndexByte("GyMd", l.letter) == level {
					return "", r.f.generator.loose(skeletonOf(add + r.skeleton.text()))
				}
			}
		}
		return "", ""
	case small:
		clock := r.listed(field, r.clockSkeleton())
		if clock == "" {
			return "", ""
		}
		return r.f.glued(r.datePattern(), clock), ""
	}
	return "", ""
}

type field_ struct {
	letter byte
	field  field
}

func (r *ranges) clockSkeleton() string {
	s := r.skeleton
	text := ""
	for i := periodField; i < fieldCount; i++ {
		if s[i].kind == 0 || s[i].letter == 'a' {
			continue
		}
		n := s[i].length
		if i == hourField || i == minuteField || i == zoneField {
			n = 1
		}
		text += strings.Repeat(string(s[i].letter), n)
	}
	return text
}

// listed is the pattern of CLDR for the closest skeleton, made as wide as asked.
func (r *ranges) listed(field byte, wanted string) string {
	best, exactness := r.best, r.exactness
	find := func(skeleton string) string {
		byField := r.f.data.Ranges[skeleton]
		switch field {
		case 'h':
			if p := byField["h"]; p != "" {
				return p
			}
			return byField["H"]
		case 'a':
			for _, key := range []string{"a", "B", "h", "H"} {
				if p := byField[key]; p != "" {
					return p
				}
			}
			return ""
		}
		return byField[string(field)]
	}
	pattern := find(best)
	if pattern == "" && strings.IndexByte("GyMd", field) >= 0 {
		if ignored(best, field) {
			return ""
		}
		// Patterns that show the field that differs: "MMMd" looks at "yMMMd".
		larger := string(field)
		for _, add := range []string{larger, "yM"[:max(0, strings.IndexByte("yM", field))] + larger} {
			wanted, best = add+wanted, add+best
			if pattern = find(best); pattern == "" && exactness == 0 {
				if closest, kind := r.closest(best); kind >= 0 {
					best, exactness, pattern = closest, kind, find(closest)
				}
			}
			if pattern != "" || larger == "d" {
				break
			}
		}
	}
	if pattern == "" {
		return ""
	}
	if exactness != 0 {
		pattern = r.widen(pattern, wanted, best)
	}
	return pattern
}

// widen makes fields that have the width of the listed skeleton as wide as those
// of the wanted one.
func (r *ranges) widen(pattern, wanted, best string) string {
	mine, theirs := widths(wanted), widths(best)
	items := parsePattern(pattern)
	for i, it := range items {
		letter := it.letter
		switch {
		case letter == 0:
			continue
		case letter == 'v' && mine['z'] > 0:
			items[i].letter, letter = 'z', 'z'
		case letter == 'h' && mine['K'] > 0:
			items[i].letter = 'K'
		case letter == 'H' && mine['k'] > 0:
			items[i].letter = 'k'
		case letter == 'L':
			letter = 'M'
		}
		if theirs[letter] == it.length && mine[letter] > it.length {
			items[i].length = mine[letter]
		}
	}
	return patternText(items)
}

func (f *Format) inCycle(pattern string) string {
	return patternText(f.withCycle(parsePattern(pattern), f.hour))
}
