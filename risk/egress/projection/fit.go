package projection

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// neutral holds values that disclose nothing, by the format a schema requires.
var neutral = map[string]string{
	"email":     "redacted@example.invalid",
	"idn-email": "redacted@example.invalid",
	"uri":       "https://redacted.invalid/",
	"url":       "https://redacted.invalid/",
	"iri":       "https://redacted.invalid/",
	"hostname":  "redacted.invalid",
	"ipv4":      "192.0.2.0", // reserved for documentation (RFC 5737)
	"ipv6":      "2001:db8::",
	"date":      "1970-01-01",
	"time":      "00:00:00Z",
	"date-time": "1970-01-01T00:00:00Z",
	"duration":  "PT0S",
	"uuid":      "00000000-0000-0000-0000-000000000000",
}

// Fit makes a result valid again after strings were replaced by placeholders: a
// placeholder is not a mail address and may be too long. Where a placeholder does not
// match the schema, Fit uses a neutral value of the required form instead. pointers
// are the replaced strings. The error is ErrMismatch if there is no such value. Fit
// honours formats, although JSON Schema treats them as annotations: clients do check
// them.
func (s *Schema) Fit(raw []byte, pointers []string) ([]byte, error) {
	for _, pointer := range pointers {
		path, schemas := s.at(raw, pointer)
		current := gjson.GetBytes(raw, path)
		if path == "" || current.Type != gjson.String || accepts(schemas, current.Str) {
			continue
		}
		value, ok := substitute(schemas)
		if !ok {
			return nil, ErrMismatch
		}
		next, err := sjson.SetBytes(raw, path, value)
		if err != nil {
			return nil, ErrMismatch
		}
		raw = next
	}
	if !s.valid(raw) {
		return nil, ErrMismatch
	}
	return raw, nil
}

// at translates a JSON pointer into a path of gjson and finds the schemas of the
// place.
func (s *Schema) at(raw []byte, pointer string) (path string, schemas []*jsonschema.Schema) {
	schemas = flatten(s.root, []*jsonschema.Schema{s.root})
	value := gjson.ParseBytes(raw)
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		name := unescape(token)
		escaped := gjson.Escape(name)
		if value.IsArray() {
			i, err := strconv.Atoi(name)
			if err != nil {
				return "", nil
			}
			schemas = flatten(s.root, items(schemas, i))
		} else {
			schemas = flatten(s.root, member(schemas, name))
		}
		value = value.Get(escaped)
		if path != "" {
			path += "."
		}
		path += escaped
	}
	return path, schemas
}

// accepts reports whether a string meets what the schemas ask of strings.
func accepts(schemas []*jsonschema.Schema, value string) bool {
	for _, s := range schemas {
		n := len([]rune(value))
		if s.MinLength != nil && n < *s.MinLength || s.MaxLength != nil && n > *s.MaxLength {
			return false
		}
		if s.Pattern != "" {
			if re, err := regexp.Compile(s.Pattern); err != nil || !re.MatchString(value) {
				return false
			}
		}
		if s.Const != nil && *s.Const != any(value) {
			return false
		}
		if len(s.Enum) > 0 {
			found := false
			for _, e := range s.Enum {
				found = found || e == any(value)
			}
			if !found {
				return false
			}
		}
		if _, known := neutral[s.Format]; known && value != neutral[s.Format] {
			return false
		}
	}
	return true
}

// longestSubstitute bounds what is tried for a pattern or a length, in bytes.
const longestSubstitute = 256

// substitute finds a string that the schemas accept.
func substitute(schemas []*jsonschema.Schema) (string, bool) {
	candidates := []string{"REDACTED", "redacted", "***"}
	for _, s := range schemas {
		if value, ok := neutral[s.Format]; ok {
			candidates = append(candidates, value)
		}
		for _, e := range s.Enum {
			if value, ok := e.(string); ok {
				candidates = append(candidates, value)
			}
		}
		if s.Const != nil {
			if value, ok := (*s.Const).(string); ok {
				candidates = append(candidates, value)
			}
		}
	}
	for n := range longestSubstitute {
		for _, c := range "x0XA" {
			candidates = append(candidates, strings.Repeat(string(c), n))
		}
	}
	for _, c := range candidates {
		if accepts(schemas, c) {
			return c, true
		}
	}
	return "", false
}

// ErrorResult is the structured result that replaces one that does not match. It
// contains nothing of the original.
func ErrorResult() []byte {
	text, err := json.Marshal(map[string]string{"error": ErrMismatch.Error()})
	if err != nil {
		return []byte("{}")
	}
	return text
}
