package wire

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxID bounds the text of an id in bytes. The longest in use are UUIDs with a
// prefix; every id is kept for as long as its request is open.
const MaxID = 1024

// ID is the id of a request: a string, a number or null, as it was written. The zero
// ID is no id.
type ID struct{ raw []byte }

// ParseID reads an id from JSON. Anything else gives the zero ID.
func ParseID(text []byte) ID {
	if v := jsontext.Value(text); v.IsValid() && idKind(v.Kind()) {
		return ID{bytes.TrimSpace(text)}
	}
	return ID{}
}

func idKind(k jsontext.Kind) bool { return k == '"' || k == '0' || k == 'n' }

// Raw returns the id as JSON, as it was written.
func (id ID) Raw() []byte { return id.raw }

// Given reports whether there is an id that an answer can carry.
func (id ID) Given() bool { return len(id.raw) > 0 && id.raw[0] != 'n' }

// Key is the same for all spellings of an id and differs for different ids, at any
// size: 1, 1.0 and 1e0 are one id, 1.5 is another.
func (id ID) Key() string {
	switch {
	case len(id.raw) == 0:
		return ""
	case id.raw[0] == '"':
		return "\"" + id.text()
	case id.raw[0] == 'n':
		return "null"
	}
	return decimal(string(id.raw))
}

// text returns the unquoted string of a string id.
func (id ID) text() string {
	text, err := jsontext.AppendUnquote(nil, id.raw)
	if err != nil {
		return string(id.raw) // cannot happen: the id was parsed as JSON
	}
	return string(text)
}

// decimal returns a JSON number as its significant digits and the exponent of the
// last one. Its run time does not depend on the exponent.
func decimal(number string) string {
	number, negative := strings.CutPrefix(number, "-")
	mantissa, exponent := number, int64(0)
	if at := strings.IndexAny(number, "eE"); at >= 0 {
		var err error
		mantissa = number[:at]
		if exponent, err = strconv.ParseInt(strings.TrimPrefix(number[at+1:], "+"), 10, 32); err != nil {
			return "-"[:btoi(negative)] + number // beyond any real id; compare its spelling
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= int64(len(fraction))
	trimmed := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(trimmed))
	if trimmed == "" {
		return "0"
	}
	return "-"[:btoi(negative)] + trimmed + "e" + strconv.FormatInt(exponent, 10)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// escaped is the prefix of the strings that replace ids on the way through the SDK;
// the id follows in base64. A client's own string of that form is escaped like any
// other id that would change.
const escaped = "glovebox:id:"

// Inner returns the id as JSON that the SDK gives back unchanged.
func (id ID) Inner() []byte {
	if id.survives() {
		return id.raw
	}
	return []byte(`"` + escaped + base64.RawURLEncoding.EncodeToString(id.raw) + `"`)
}

// survives reports whether the SDK's answer has the same bytes: it converts a number
// to float64 and then int64, and quotes strings in its own way.
func (id ID) survives() bool {
	switch {
	case len(id.raw) == 0 || id.raw[0] == 'n':
		return true
	case id.raw[0] == '"':
		text := id.raw[1 : len(id.raw)-1]
		for _, c := range text {
			if c < ' ' || c > '~' || c == '\\' {
				return false
			}
		}
		return !bytes.HasPrefix(text, []byte(escaped))
	}
	// An integer of at most 15 digits is below 2^53.
	number, err := strconv.ParseInt(string(id.raw), 10, 64)
	return err == nil && len(id.raw) <= 15 && strconv.FormatInt(number, 10) == string(id.raw)
}

// outer returns the id that an escaped string stands for, or nil.
func outer(text []byte) []byte {
	code, ok := bytes.CutPrefix(text, []byte(escaped))
	if !ok {
		return nil
	}
	raw := make([]byte, base64.RawURLEncoding.DecodedLen(len(code)))
	if _, err := base64.RawURLEncoding.Decode(raw, code); err != nil {
		return nil
	}
	return raw
}
