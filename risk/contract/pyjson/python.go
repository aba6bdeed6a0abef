package pyjson

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Truthy reports whether Python takes the value for true.
func (v Value) Truthy() bool {
	switch v.Kind {
	case Bool:
		return v.Truth
	case Number:
		f, _ := strconv.ParseFloat(v.Text, 64) // out of range gives an infinity, which is true
		return f != 0
	case Text:
		return v.Text != ""
	case Array, Object:
		return len(v.Items) > 0
	}
	return false
}

// Trimmed is the text of a text field: empty for what is not truthy, else
// str() without blanks around it.
func (v Value) Trimmed() string {
	if !v.Truthy() {
		return ""
	}
	return Trim(v.Str())
}

// Flag is the truth of a boolean field: only booleans and the text of a yes are
// true. 1 is, 1.0 and [true] are not.
func (v Value) Flag() bool {
	switch v.Kind {
	case Bool:
		return v.Truth
	case Number, Text:
		return IsYes(v.Str())
	}
	return false
}

// IsYes reports whether a text says yes.
func IsYes(s string) bool {
	switch strings.ToLower(Trim(s)) {
	case "1", "true", "yes", "y", "on":
		return true
	}
	return false
}

// IsNo reports whether a text says no. Most texts say neither.
func IsNo(s string) bool {
	switch strings.ToLower(Trim(s)) {
	case "0", "false", "no", "n", "off":
		return true
	}
	return false
}

// Trim removes what Python's strip() removes: Go's white space and the four
// ASCII separators 0x1c to 0x1f.
func Trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
}

// Lower is Python's Lower() as far as a search for ASCII words can tell: of all
// letters outside ASCII only the dotted capital I comes out differently in Go.
func Lower(s string) string {
	return strings.ToLower(strings.ReplaceAll(s, "İ", "i̇"))
}

// Str is Python's str() of the value.
func (v Value) Str() string {
	if v.Kind == Text {
		return v.Text
	}
	return string(v.appendRepr(nil))
}

func (v Value) appendRepr(b []byte) []byte {
	switch v.Kind {
	case Null:
		return append(b, "None"...)
	case Bool:
		if v.Truth {
			return append(b, "True"...)
		}
		return append(b, "False"...)
	case Number:
		return v.appendNumber(b)
	case Text:
		return appendQuoted(b, v.Text)
	case Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = item.appendRepr(b)
		}
		return append(b, ']')
	}
	b = append(b, '{')
	for i, item := range v.Items {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendQuoted(b, v.Names[i])
		b = append(b, ": "...)
		b = item.appendRepr(b)
	}
	return append(b, '}')
}

// appendNumber writes an integer as it is and anything else as the shortest
// double that reads back, with an exponent from 1e16 up and below 1e-4.
func (v Value) appendNumber(b []byte) []byte {
	if v.Integer() {
		if v.Text == "-0" {
			return append(b, '0')
		}
		return append(b, v.Text...)
	}
	f, _ := strconv.ParseFloat(v.Text, 64)
	switch {
	case math.IsInf(f, 1):
		return append(b, "inf"...)
	case math.IsInf(f, -1):
		return append(b, "-inf"...)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	start := len(b)
	b = strconv.AppendFloat(b, f, 'f', -1, 64)
	if !slices.Contains(b[start:], '.') {
		b = append(b, ".0"...)
	}
	return b
}

// appendQuoted writes Python's repr() of a text. What is printable comes from
// Go's Unicode tables, which differ from a given Python only in letters newer
// than one of the two.
func appendQuoted(b []byte, s string) []byte {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b = append(b, quote)
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case unicode.IsPrint(r):
			b = append(b, string(r)...)
		case r <= 0xff:
			b = appendHex(append(b, `\x`...), r, 2)
		case r <= 0xffff:
			b = appendHex(append(b, `\u`...), r, 4)
		default:
			b = appendHex(append(b, `\U`...), r, 8)
		}
	}
	return append(b, quote)
}

func appendHex(b []byte, r rune, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[r>>shift&0xf])
	}
	return b
}

// AppendCompact writes the value as compact JSON, names sorted by code point and
// everything outside printable ASCII escaped: the form whose SHA-256 identifies
// a request or a workflow's policy whatever its spelling.
func (v Value) AppendCompact(b []byte) []byte {
	switch v.Kind {
	case Null:
		return append(b, "null"...)
	case Bool:
		return strconv.AppendBool(b, v.Truth)
	case Number:
		if f, _ := strconv.ParseFloat(v.Text, 64); math.IsInf(f, 0) {
			return append(b, v.Text...) // JSON has no infinity
		}
		return v.appendNumber(b)
	case Text:
		return appendEscaped(b, v.Text)
	case Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.AppendCompact(b)
		}
		return append(b, ']')
	}
	order := make([]int, len(v.Names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(v.Names[i], v.Names[j]) })
	b = append(b, '{')
	for n, i := range order {
		if n > 0 {
			b = append(b, ',')
		}
		b = appendEscaped(b, v.Names[i])
		b = append(b, ':')
		b = v.Items[i].AppendCompact(b)
	}
	return append(b, '}')
}

func appendEscaped(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= ' ' && r <= '~':
			b = append(b, byte(r))
		case r >= '\b' && r <= '\r' && r != '\v':
			b = append(b, '\\', "btn_fr"[r-'\b'])
		case r <= 0xffff:
			b = appendHex(append(b, `\u`...), r, 4)
		default:
			high, low := utf16.EncodeRune(r)
			b = appendHex(append(b, `\u`...), high, 4)
			b = appendHex(append(b, `\u`...), low, 4)
		}
	}
	return append(b, '"')
}
