package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/glovebox-run/glovebox/catalog/internal/source"
)

// helperForm is how a toolSafety block names a helper and its major version.
var helperForm = regexp.MustCompile(`^[a-z][a-z0-9.-]*/v[0-9]+(#[a-z0-9-]+)?$`)

// maxTimestamp is the largest integer every JSON reader agrees on.
const maxTimestamp = 1<<53 - 1

// object walks the members of an object through the rows of its shape. An
// optional field that is null counts as absent everywhere in a spec.
func (r *reader) object(v source.Value, pointer string, open bool, shape []field) {
	if v.Kind() != '{' {
		r.wrongType(v, pointer, "an object")
		return
	}
	seen := make([]bool, len(shape))
	present := make([]bool, len(shape))
	for name, value := range v.Members() {
		key, ok := name.Text()
		i := slices.IndexFunc(shape, func(f field) bool { return ok && f.name == key })
		switch {
		case i < 0 && open:
		case i < 0:
			r.add(ruleUnknownMember, pointer+"/"+EscapePointer(key), name.Start(), "%s is not a field here; the fields are %s", quote(key), fieldNames(shape))
		case seen[i]:
			r.add(ruleDuplicateMember, pointer+"/"+key, name.Start(), "%s stands here a second time; readers would not agree on which one counts, so keep one", quote(key))
		default:
			seen[i] = true
			if value.Kind() != 'n' {
				present[i] = true
				shape[i].read(value, pointer+"/"+key)
			}
		}
	}
	for i, f := range shape {
		if f.required && !present[i] {
			r.add(ruleMissing, pointer+"/"+f.name, v.Start(), "%s is required; add it", quote(f.name))
		}
	}
}

// unknownMembers returns the names in an object that no row reads.
func unknownMembers(v source.Value, shape []field) []string {
	var unknown []string
	for name := range v.Members() {
		key, _ := name.Text()
		if !slices.ContainsFunc(shape, func(f field) bool { return f.name == key }) {
			unknown = append(unknown, key)
		}
	}
	return unknown
}

func fieldNames(shape []field) string {
	names := make([]string, len(shape))
	for i, f := range shape {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}

// The functions below make the read column of a shape.

func (r *reader) shape(shape []field) func(source.Value, string) {
	return func(v source.Value, pointer string) { r.object(v, pointer, false, shape) }
}

func (r *reader) str(into *string) func(source.Value, string) {
	return func(v source.Value, pointer string) {
		if v.Kind() != '"' {
			r.wrongType(v, pointer, "a string")
			return
		}
		s, ok := v.Text()
		if !ok {
			r.add(ruleSurrogate, pointer, v.Start(), "the string holds half a surrogate pair; write whole characters")
			return
		}
		*into = s
	}
}

func (r *reader) nonEmpty(into *string) func(source.Value, string) {
	return func(v source.Value, pointer string) {
		before := len(r.problems)
		if r.str(into)(v, pointer); *into == "" && len(r.problems) == before {
			r.add(ruleEmpty, pointer, v.Start(), "this is empty; write a name")
		}
	}
}

func (r *reader) boolean(into *bool) func(source.Value, string) {
	return func(v source.Value, pointer string) {
		switch v.Kind() {
		case 't', 'f':
			*into = v.Kind() == 't'
		default:
			r.wrongType(v, pointer, "true or false")
		}
	}
}

func (r *reader) tristate(into **bool) func(source.Value, string) {
	return func(v source.Value, pointer string) {
		var b bool
		before := len(r.problems)
		if r.boolean(&b)(v, pointer); len(r.problems) == before {
			*into = &b
		}
	}
}

func (r *reader) word(words []string, set func(index int)) func(source.Value, string) {
	return func(v source.Value, pointer string) {
		var s string
		before := len(r.problems)
		if r.str(&s)(v, pointer); len(r.problems) > before {
			return
		}
		i := slices.Index(words, s)
		if i < 0 {
			r.add(ruleValue, pointer, v.Start(), "%s is not known here; write %s", quote(s), strings.Join(quoteAll(words), " or "))
			return
		}
		set(i)
	}
}

func (r *reader) timestamp(into *int64) func(source.Value, string) {
	return func(v source.Value, pointer string) {
		if v.Kind() != '0' {
			r.wrongType(v, pointer, "a number of milliseconds")
			return
		}
		number := string(v.Raw())
		f, err := strconv.ParseFloat(number, 64)
		if err != nil || !isInteger(number) || f < 0 || f > maxTimestamp {
			r.add(ruleRange, pointer, v.Start(), "a timestamp is a whole number of milliseconds since 1970, from 0 to %d", maxTimestamp)
			return
		}
		*into = int64(f)
	}
}

func (r *reader) each(read func(source.Value, string)) func(source.Value, string) {
	return func(v source.Value, pointer string) {
		if v.Kind() != '[' {
			r.wrongType(v, pointer, "an array")
			return
		}
		i := 0
		for item := range v.Items() {
			if r.full {
				return // no further values are read, and a hostile list may be long
			}
			read(item, pointer+"/"+strconv.Itoa(i))
			i++
		}
	}
}

func (r *reader) list(into *[]string) func(source.Value, string) {
	return r.each(func(v source.Value, pointer string) {
		var s string
		before := len(r.problems)
		if r.str(&s)(v, pointer); len(r.problems) == before {
			*into = append(*into, s)
		}
	})
}

func (r *reader) wrongType(v source.Value, pointer, want string) {
	r.add(ruleType, pointer, v.Start(), "this is %s; write %s", kindName(v.Kind()), want)
}

func kindName(kind byte) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// isInteger reports whether a JSON number has no fraction, by JSON Schema's rule:
// 1.0 and 1e3 are integers. It never expands the exponent.
func isInteger(number string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if strings.Trim(whole+fraction, "-0") == "" {
		return true // zero, however it is written
	}
	scale, err := strconv.Atoi(exponent)
	if exponent != "" && err != nil {
		return !strings.HasPrefix(exponent, "-") // far out of range either way
	}
	// The point moves right by scale; the digits left after it must be zeros.
	behind := len(strings.TrimRight(fraction, "0"))
	if behind == 0 {
		behind = -(len(whole) - len(strings.TrimRight(whole, "0")))
	}
	return behind <= scale
}

// quote shows a text of the document in a message, cut so that the message stays
// on one line.
func quote(s string) string {
	const most = 60 // characters; enough to recognise a value
	if runes := []rune(s[:min(len(s), 4*most+4)]); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

func quoteAll(list []string) []string {
	const most = 10 // values named in one message
	quoted := []string{}
	for _, s := range list[:min(len(list), most)] {
		quoted = append(quoted, quote(s))
	}
	return quoted
}
