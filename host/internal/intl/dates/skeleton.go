package dates

import "strings"

// A skeleton is the set of fields that a pattern shows. This file is the data
// and the distance of ICU's DateTimePatternGenerator, which decides what every
// browser prints for a choice of components; CLDR gives patterns only for some
// of them.

// field is a place in a skeleton, in the order of ICU's UDateTimePatternField.
type field int

const (
	eraField field = iota
	yearField
	quarterField
	monthField
	weekField
	weekOfMonthField
	weekdayField
	dayOfYearField
	weekdayInMonthField
	dayField
	periodField
	hourField
	minuteField
	secondField
	fractionField
	zoneField
	fieldCount
)

const dateMask, timeMask = 1<<periodField - 1, 1<<fieldCount - 1<<periodField

// Types of fields: numbers are far from words, and close among themselves.
const (
	numeric = 0x100
	narrow  = -0x101
	shorter = -0x102
	short   = -0x103
	long    = -0x104
	delta   = 0x10
)

// fieldType is a row of what a letter means from a certain length on.
type fieldType struct {
	letter byte
	field  field
	kind   int
	least  int // length from which the row counts
}

var fieldTypes = []fieldType{
	{'G', eraField, short, 1}, {'G', eraField, long, 4}, {'G', eraField, narrow, 5},
	{'y', yearField, numeric, 1}, {'Y', yearField, numeric + delta, 1}, {'u', yearField, numeric + 2*delta, 1}, {'r', yearField, numeric + 3*delta, 1},
	{'Q', quarterField, numeric, 1}, {'Q', quarterField, short, 3}, {'Q', quarterField, long, 4}, {'Q', quarterField, narrow, 5},
	{'M', monthField, numeric, 1}, {'M', monthField, short, 3}, {'M', monthField, long, 4}, {'M', monthField, narrow, 5},
	{'L', monthField, numeric + delta, 1}, {'L', monthField, short - delta, 3}, {'L', monthField, long - delta, 4}, {'L', monthField, narrow - delta, 5},
	{'w', weekField, numeric, 1}, {'W', weekOfMonthField, numeric, 1},
	{'E', weekdayField, short, 1}, {'E', weekdayField, long, 4}, {'E', weekdayField, narrow, 5}, {'E', weekdayField, shorter, 6},
	{'c', weekdayField, numeric + 2*delta, 1}, {'c', weekdayField, short - 2*delta, 3}, {'c', weekdayField, long - 2*delta, 4}, {'c', weekdayField, narrow - 2*delta, 5}, {'c', weekdayField, shorter - 2*delta, 6},
	{'e', weekdayField, numeric + delta, 1}, {'e', weekdayField, short - delta, 3}, {'e', weekdayField, long - delta, 4}, {'e', weekdayField, narrow - delta, 5}, {'e', weekdayField, shorter - delta, 6},
	{'d', dayField, numeric, 1}, {'g', dayField, numeric + delta, 1},
	{'D', dayOfYearField, numeric, 1}, {'F', weekdayInMonthField, numeric, 1},
	{'a', periodField, short, 1}, {'a', periodField, long, 4}, {'a', periodField, narrow, 5},
	{'b', periodField, short - delta, 1}, {'b', periodField, long - delta, 4}, {'b', periodField, narrow - delta, 5},
	{'B', periodField, short - 3*delta, 1}, {'B', periodField, long - 3*delta, 4}, {'B', periodField, narrow - 3*delta, 5},
	{'H', hourField, numeric + 10*delta, 1}, {'k', hourField, numeric + 11*delta, 1}, {'h', hourField, numeric, 1}, {'K', hourField, numeric + delta, 1},
	{'m', minuteField, numeric, 1}, {'s', secondField, numeric, 1}, {'A', secondField, numeric + delta, 1}, {'S', fractionField, numeric, 1},
	{'v', zoneField, short - 2*delta, 1}, {'v', zoneField, long - 2*delta, 4},
	{'z', zoneField, short, 1}, {'z', zoneField, long, 4},
	{'Z', zoneField, narrow - delta, 1}, {'Z', zoneField, long - delta, 4}, {'Z', zoneField, short - delta, 5},
	{'O', zoneField, short - delta, 1}, {'O', zoneField, long - delta, 4},
	{'V', zoneField, short - delta, 1}, {'V', zoneField, long - delta, 4},
}

// typeOf is the row of a run of one letter.
func typeOf(letter byte, length int) (fieldType, bool) {
	var found fieldType
	ok := false
	for _, row := range fieldTypes {
		if row.letter == letter && (!ok || row.least <= length) {
			found, ok = row, true
		}
	}
	return found, ok
}

// skeleton is what is known of each field; a zero kind is an absent field.
type skeleton [fieldCount]struct {
	letter byte
	length int
	kind   int
	base   int // length in the base form: the least of its row
}

func (s *skeleton) set(letter byte, length int) {
	row, ok := typeOf(letter, length)
	if !ok {
		return
	}
	f := &s[row.field]
	f.letter, f.length, f.kind, f.base = letter, length, row.kind, row.least
	if row.kind > 0 {
		f.kind += length
	}
}

// skeletonOf reads a skeleton or the fields of a pattern.
func skeletonOf(pattern string) skeleton {
	var s skeleton
	for _, item := range parsePattern(pattern) {
		if item.letter != 0 {
			s.set(item.letter, item.length)
		}
	}
	if s[minuteField].kind != 0 && s[fractionField].kind != 0 && s[secondField].kind == 0 {
		s.set('s', 1)
	}
	switch s[hourField].letter {
	case 'h', 'K':
		if s[periodField].kind == 0 {
			s.set('a', 1)
		}
	case 'H', 'k':
		s[periodField].letter, s[periodField].kind, s[periodField].length, s[periodField].base = 0, 0, 0, 0
	}
	return s
}

func (s skeleton) mask() int {
	mask := 0
	for i, f := range s {
		if f.kind != 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// base is the skeleton with every field in its shortest form of that kind.
func (s skeleton) baseText() string {
	var b strings.Builder
	for _, f := range s {
		if f.kind != 0 {
			b.WriteString(strings.Repeat(string(f.letter), f.base))
		}
	}
	return b.String()
}

func (s skeleton) text() string {
	var b strings.Builder
	for _, f := range s {
		if f.kind != 0 {
			b.WriteString(strings.Repeat(string(f.letter), f.length))
		}
	}
	return b.String()
}

// distance compares what was asked for, as far as the mask goes, with a pattern
// there is.
func (s skeleton) distance(other skeleton, mask int) (distance, missing, extra int) {
	const extraField, missingField = 0x10000, 0x1000
	for i := range s {
		mine := s[i].kind
		if mask&(1<<i) == 0 {
			mine = 0
		}
		theirs := other[i].kind
		switch {
		case mine == theirs:
		case mine == 0:
			distance += extraField
			extra |= 1 << i
		case theirs == 0:
			distance += missingField
			missing |= 1 << i
		case mine > theirs:
			distance += mine - theirs
		default:
			distance += theirs - mine
		}
	}
	return distance, missing, extra
}

// item is a run of one pattern letter, or literal text.
type item struct {
	letter  byte
	length  int
	literal string
}

// parsePattern cuts a date pattern into fields and literals.
func parsePattern(pattern string) []item {
	var items []item
	text := func(s string) {
		if n := len(items); n > 0 && items[n-1].letter == 0 {
			items[n-1].literal += s
		} else {
			items = append(items, item{literal: s})
		}
	}
	quoted := false
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\'':
			if i+1 < len(runes) && runes[i+1] == '\'' {
				text("'")
				i++
			} else {
				quoted = !quoted
			}
		case quoted || !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'):
			text(string(r))
		default:
			n := 1
			for i+n < len(runes) && runes[i+n] == r {
				n++
			}
			items = append(items, item{letter: byte(r), length: n})
			i += n - 1
		}
	}
	return items
}

// patternText is the inverse of parsePattern.
func patternText(items []item) string {
	var b strings.Builder
	for _, it := range items {
		if it.letter != 0 {
			b.WriteString(strings.Repeat(string(it.letter), it.length))
			continue
		}
		b.WriteString(quote(it.literal))
	}
	return b.String()
}

// quote protects letters of a literal.
func quote(literal string) string {
	var b strings.Builder
	quoted := false
	for _, r := range literal {
		if is := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'; is != quoted && (is || r != ' ') {
			b.WriteByte('\'')
			quoted = is
		}
		if r == '\'' {
			b.WriteByte('\'')
		}
		b.WriteRune(r)
	}
	if quoted {
		b.WriteByte('\'')
	}
	return b.String()
}
