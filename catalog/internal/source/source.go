// Package source reads JSON in place: a [Value] is a position in a text, not a
// copy of it. So every finding has its line and column, and bytes that no caller
// reads stay untouched.
//
// [Open] checks a whole text once, strictly; everything after it walks text that
// is known to be valid. Walking skips values that no caller asks for, so the cost
// is the size of the text times the few levels a reader descends.
package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/glovebox-run/glovebox/catalog/nesting"
)

// MaxDepth bounds nested objects and arrays. A spec nests four deep and an
// argument rarely ten; later readers of the values may recurse.
const MaxDepth = 256

// SyntaxError says why a text is not JSON and where.
type SyntaxError struct {
	Offset  int // bytes from the start
	Message string
}

func (e *SyntaxError) Error() string { return e.Message }

// Value is one JSON value in a text. Only [Open] and the methods of Value make
// one; the zero Value has no kind.
type Value struct {
	text       []byte
	start, end int
}

// Open checks that text is exactly one JSON value in UTF-8 and returns it. The
// text must not change afterwards.
func Open(text []byte) (Value, *SyntaxError) {
	if at := invalidUTF8(text); at >= 0 {
		return Value{}, &SyntaxError{at, "the text is not UTF-8; save it as UTF-8"}
	}
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		return Value{}, &SyntaxError{0, "the text starts with a byte order mark; save it as UTF-8 without one"}
	}
	if at := nesting.Beyond(text, MaxDepth); at >= 0 {
		return Value{}, &SyntaxError{at, fmt.Sprintf("more than %d nested objects and arrays; flatten it", MaxDepth)}
	}
	// The grammar of encoding/json, at a third of its time.
	if !jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return Value{}, explain(text)
	}
	start := skipSpace(text, 0)
	return Value{text, start, end(text, start)}, nil
}

// explain runs the decoder again, this time for the reason.
func explain(text []byte) *SyntaxError {
	var whole json.RawMessage
	syntax, ok := json.Unmarshal(text, &whole).(*json.SyntaxError)
	if !ok {
		return &SyntaxError{0, "this is not JSON"}
	}
	if int(syntax.Offset) >= len(text) && len(bytes.TrimSpace(text)) == 0 {
		return &SyntaxError{0, "the text is empty; a JSON value belongs here"}
	}
	return &SyntaxError{max(0, int(syntax.Offset)-1), "not JSON: " + syntax.Error()}
}

func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}

// Kind returns '{', '[', '"', 't', 'f', 'n' or, for a number, '0'.
func (v Value) Kind() byte {
	if v.start >= v.end {
		return 0
	}
	switch c := v.text[v.start]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	}
	return '0'
}

// Start and End are the byte offsets of the value in its text.
func (v Value) Start() int { return v.start }

// End is the offset just behind the value.
func (v Value) End() int { return v.end }

// Raw returns the value as it is written. The caller must not change it.
func (v Value) Raw() []byte { return v.text[v.start:v.end:v.end] }

// Members walks an object in document order; repeated names are all visited. Other
// values have no members.
func (v Value) Members() iter.Seq2[Value, Value] {
	return func(yield func(name, value Value) bool) {
		if v.Kind() != '{' {
			return
		}
		for i := skipSpace(v.text, v.start+1); v.text[i] != '}'; {
			name := Value{v.text, i, end(v.text, i)}
			i = skipSpace(v.text, name.end)
			i = skipSpace(v.text, i+1) // past the colon
			value := Value{v.text, i, end(v.text, i)}
			if !yield(name, value) {
				return
			}
			i = nextElement(v.text, value.end)
		}
	}
}

// Items walks an array. Other values have no items.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != '[' {
			return
		}
		for i := skipSpace(v.text, v.start+1); v.text[i] != ']'; {
			item := Value{v.text, i, end(v.text, i)}
			if !yield(item) {
				return
			}
			i = nextElement(v.text, item.end)
		}
	}
}

// Text decodes a string. It is not ok for other kinds, and for a string with half
// a surrogate pair: UTF-8 cannot carry that, and the decoder would silently put
// U+FFFD in its place.
func (v Value) Text() (s string, ok bool) {
	if v.Kind() != '"' {
		return "", false
	}
	inner := v.text[v.start+1 : v.end-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), true
	}
	if err := json.Unmarshal(v.Raw(), &s); err != nil {
		return "", false
	}
	return s, !halfSurrogate(inner)
}

// Whole reports whether Text is ok for a string, without decoding it.
func (v Value) Whole() bool {
	return v.Kind() == '"' && !halfSurrogate(v.text[v.start+1:v.end-1])
}

// Blank reports whether a string is empty or holds nothing but white space.
func (v Value) Blank() bool {
	if v.Kind() != '"' {
		return false
	}
	if c := v.text[v.start+1]; c > ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
		return false // which most strings are, and long ones need not be decoded for it
	}
	text, _ := v.Text()
	return strings.TrimSpace(text) == ""
}

func halfSurrogate(inner []byte) bool {
	for i := 0; i < len(inner); i++ {
		next := bytes.IndexByte(inner[i:], '\\')
		if next < 0 {
			return false
		}
		i += next + 1
		if inner[i] != 'u' {
			continue
		}
		unit := hexUnit(inner[i+1:])
		i += 4
		if unit < 0xD800 || unit > 0xDFFF {
			continue
		}
		rest := inner[i+1:]
		if unit >= 0xDC00 || len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
			return true
		}
		if low := hexUnit(rest[2:]); low < 0xDC00 || low > 0xDFFF {
			return true
		}
		i += 6
	}
	return false
}

// hexUnit reads four hexadecimal digits, which valid JSON always has here.
func hexUnit(digits []byte) (unit int) {
	for _, c := range digits[:4] {
		switch {
		case c >= 'a':
			c -= 'a' - 10
		case c >= 'A':
			c -= 'A' - 10
		default:
			c -= '0'
		}
		unit = unit<<4 | int(c)
	}
	return unit
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// nextElement goes from the end of an element to the next one or to the closing
// bracket.
func nextElement(text []byte, i int) int {
	i = skipSpace(text, i)
	if text[i] == ',' {
		i = skipSpace(text, i+1)
	}
	return i
}

// end returns the offset just behind the value that starts at i.
func end(text []byte, i int) int {
	switch text[i] {
	case '"':
		return stringEnd(text, i)
	case '{', '[':
		for depth := 0; ; i++ {
			switch text[i] {
			case '"':
				i = stringEnd(text, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i < len(text) && bytes.IndexByte([]byte(" \t\n\r,]}"), text[i]) < 0 {
		i++
	}
	return i
}

func stringEnd(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}
