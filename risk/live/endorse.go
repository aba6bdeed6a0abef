package live

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Bounds of what a schema is read for.
const (
	maxSchema      = 64 << 10 // bytes
	maxSchemaDepth = 16
	maxToken       = 16 // characters of a string with a pattern: an id, no sentence
)

// closedFormats are formats of strings in which nobody can write a sentence.
var closedFormats = []string{"date", "date-time", "time", "duration", "uuid", "ipv4", "ipv6"}

// Bounded reports whether values of a schema leave no room for a stranger's text:
// booleans, numbers, words out of a list, dates, and short tokens with a pattern that
// admits no blank, in objects that are closed and arrays with a bound. A result that was
// validated against such a schema says nothing to a model that its author did not list,
// so it raises no integrity taint, whoever filled it in.
//
// Everything that is not understood is unbounded. A number is a number: an attacker who
// chooses it steers what honest code does with it, as with every other input.
func Bounded(schema []byte) bool {
	return len(schema) <= maxSchema && gjson.ValidBytes(schema) && bounded(gjson.ParseBytes(schema), 0)
}

func bounded(s gjson.Result, depth int) bool {
	if !s.IsObject() || depth > maxSchemaDepth {
		return false
	}
	for _, word := range []string{"$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "if", "not", "patternProperties"} {
		if s.Get(strings.ReplaceAll(word, "$", `\$`)).Exists() {
			return false
		}
	}
	if s.Get("const").Exists() || s.Get("enum").IsArray() {
		return true // the author wrote every value down
	}
	switch s.Get("type").String() {
	case "boolean", "number", "integer", "null":
		return s.Get("type").Type == gjson.String
	case "string":
		return boundedString(s)
	case "array":
		return s.Get("maxItems").Exists() && bounded(s.Get("items"), depth+1)
	case "object":
		if extra := s.Get("additionalProperties"); extra.Type != gjson.False {
			return false // a name can say anything
		}
		whole := true
		s.Get("properties").ForEach(func(_, property gjson.Result) bool {
			whole = bounded(property, depth+1)
			return whole
		})
		return whole
	}
	return false
}

// boundedString admits closed formats and short tokens. A pattern has to be anchored and
// built of classes and counts alone, so that what it admits is plain to see.
func boundedString(s gjson.Result) bool {
	if slices.Contains(closedFormats, s.Get("format").String()) {
		return true
	}
	longest := s.Get("maxLength")
	if !longest.Exists() || longest.Int() > maxToken || longest.Int() < 0 {
		return false
	}
	pattern, ok := strings.CutPrefix(s.Get("pattern").String(), "^")
	if !ok {
		return false
	}
	if pattern, ok = strings.CutSuffix(pattern, "$"); !ok {
		return false
	}
	for _, c := range pattern {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.ContainsRune("[]{}-_,+*?", c)) {
			return false // no blank, no escape, no dot, no negation
		}
	}
	return true
}
