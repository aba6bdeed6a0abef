package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// CanonicalProfile names the form that [Canonical] writes. A hash is only
// comparable with hashes of the same profile, so the name is stored beside it.
const CanonicalProfile = "saip-jackson-sorted-sha256/v1"

const (
	// maxCanonicalDepth is where Jackson stops reading nested containers; it
	// also bounds our stack on hostile input.
	maxCanonicalDepth = 1000
	// maxCanonicalNumber is where Jackson stops reading one number, in bytes.
	maxCanonicalNumber = 1000
)

// CanonicalError says why a text has no canonical form. Each refusal prevents two
// different documents from sharing a hash, or work that is not linear.
type CanonicalError struct {
	Code   string // "invalid-json", "invalid-utf8", "too-deep", "number-too-long" or "number-out-of-range"
	Offset int    // byte offset in the text that was read
}

func (e *CanonicalError) Error() string {
	return fmt.Sprintf("no canonical form (%s) at byte %d", e.Code, e.Offset)
}

// Canonical rewrites one JSON text into the form that hashes are taken of:
// compact, keys in UTF-16 order at every level, the last of equal keys kept,
// strings and numbers spelled as Jackson spells them on Java 19 or later.
// Integers keep their digits whatever their size; a number with a point or an
// exponent is a double. An unpaired surrogate, which no UTF-8 can hold, stays an
// escape, so that no two different strings become one.
func Canonical(raw []byte) ([]byte, error) {
	if !utf8.Valid(raw) {
		return nil, &CanonicalError{"invalid-utf8", invalidUTF8(raw)}
	}
	// The standard library checks the grammar; what follows only deals with order
	// and spelling and relies on that check.
	if !json.Valid(raw) {
		return nil, &CanonicalError{"invalid-json", syntaxOffset(raw)}
	}
	r := canonicalReader{text: raw}
	v, err := r.value(0)
	if err != nil {
		return nil, err
	}
	return v.append(make([]byte, 0, len(raw))), nil
}

// CanonicalHash returns the SHA-256 of the canonical form in lower-case hex.
func CanonicalHash(raw []byte) (string, error) {
	text, err := Canonical(raw)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// canonicalValue is one node: its first byte in the source says what it is
// ('{', '[', '"', or the start of a number or a word).
type canonicalValue struct {
	kind    byte
	text    string // a string decoded, a number or word as it is written
	members []canonicalMember
	items   []canonicalValue
}

type canonicalMember struct {
	key   string
	value canonicalValue
}

type canonicalReader struct {
	text []byte
	pos  int
}

// next skips whatever may separate two tokens of valid JSON and returns the byte
// there.
func (r *canonicalReader) next() byte {
	for {
		switch c := r.text[r.pos]; c {
		case ' ', '\t', '\n', '\r', ',', ':':
			r.pos++
		default:
			return c
		}
	}
}

func (r *canonicalReader) value(depth int) (canonicalValue, error) {
	v := canonicalValue{kind: r.next()}
	if (v.kind == '{' || v.kind == '[') && depth >= maxCanonicalDepth {
		return v, &CanonicalError{"too-deep", r.pos}
	}
	switch v.kind {
	case '{':
		for r.pos++; r.next() != '}'; {
			key := r.str()
			member, err := r.value(depth + 1)
			if err != nil {
				return v, err
			}
			v.members = append(v.members, canonicalMember{key, member})
		}
		r.pos++
		v.members = sortMembers(v.members)
	case '[':
		for r.pos++; r.next() != ']'; {
			item, err := r.value(depth + 1)
			if err != nil {
				return v, err
			}
			v.items = append(v.items, item)
		}
		r.pos++
	case '"':
		v.text = r.str()
	default:
		start := r.pos
		for r.pos < len(r.text) && !strings.ContainsRune(" \t\n\r,]}", rune(r.text[r.pos])) {
			r.pos++
		}
		v.text = string(r.text[start:r.pos])
		if v.kind != 't' && v.kind != 'f' && v.kind != 'n' {
			number, code := javaNumber(v.text)
			if code != "" {
				return v, &CanonicalError{code, start}
			}
			v.text = number
		}
	}
	return v, nil
}

// sortMembers orders members by key and keeps the last of equal keys.
func sortMembers(members []canonicalMember) []canonicalMember {
	slices.SortStableFunc(members, func(a, b canonicalMember) int { return compareUTF16(a.key, b.key) })
	kept := members[:0]
	for i, m := range members {
		if i+1 < len(members) && members[i+1].key == m.key {
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// str reads a string and decodes its escapes. An unpaired surrogate becomes the
// three bytes UTF-8 would give it, which no valid input contains.
func (r *canonicalReader) str() string {
	r.next()
	r.pos++
	var b []byte
	start := r.pos
	for r.text[r.pos] != '"' {
		if r.text[r.pos] != '\\' {
			r.pos++
			continue
		}
		b = append(b, r.text[start:r.pos]...)
		c := r.text[r.pos+1]
		r.pos += 2
		switch c {
		case 'u':
			b = r.appendUnit(b)
		case 'b', 'f', 'n', 'r', 't':
			b = append(b, map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}[c])
		default: // the quote, the backslash and the slash stand for themselves
			b = append(b, c)
		}
		start = r.pos
	}
	s := string(append(b, r.text[start:r.pos]...))
	r.pos++
	return s
}

func (r *canonicalReader) appendUnit(b []byte) []byte {
	unit := hexUnit(r.text[r.pos:])
	r.pos += 4
	if !utf16.IsSurrogate(unit) {
		return utf8.AppendRune(b, unit)
	}
	if r.text[r.pos] == '\\' && r.text[r.pos+1] == 'u' {
		if pair := utf16.DecodeRune(unit, hexUnit(r.text[r.pos+2:])); pair != utf8.RuneError {
			r.pos += 6
			return utf8.AppendRune(b, pair)
		}
	}
	return append(b, 0xED, 0x80|byte(unit>>6)&0x3F, 0x80|byte(unit)&0x3F)
}

func hexUnit(digits []byte) rune {
	n, _ := strconv.ParseUint(string(digits[:4]), 16, 16) // valid JSON has four hex digits here
	return rune(n)
}

// compareUTF16 orders strings by UTF-16 code units, as Java does. That is byte
// order of UTF-8, except that a pair of surrogates (lead byte F0 and above) comes
// before U+E000 to U+FFFF (lead bytes EE and EF).
func compareUTF16(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}

func (v canonicalValue) append(dst []byte) []byte {
	switch v.kind {
	case '{':
		dst = append(dst, '{')
		for i, m := range v.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendJavaString(dst, m.key), ':')
			dst = m.value.append(dst)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i, item := range v.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.append(dst)
		}
		return append(dst, ']')
	case '"':
		return appendJavaString(dst, v.text)
	default:
		return append(dst, v.text...)
	}
}

// appendJavaString quotes s as Jackson does: the short escapes, \u00XX in upper
// case for other control characters, and everything else as it is.
func appendJavaString(dst []byte, s string) []byte {
	const short = "\b\t\n\f\r\"\\"
	const letter = "btnfr\"\\"
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		c := s[i]
		if at := strings.IndexByte(short, c); at >= 0 {
			dst = append(dst, '\\', letter[at])
		} else if c < 0x20 {
			dst = fmt.Appendf(dst, "\\u%04X", c)
		} else if c == 0xED && s[i+1] >= 0xA0 { // an unpaired surrogate, see str
			dst = fmt.Appendf(dst, "\\u%04X", 0xD000|int(s[i+1]&0x3F)<<6|int(s[i+2]&0x3F))
			i += 2
		} else {
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// javaNumber spells a JSON number as Jackson does after reading it: an integer of
// any size keeps its digits, all other numbers go through Double.toString. The
// code is empty, or says why the number has no such spelling.
func javaNumber(text string) (number, code string) {
	if len(text) > maxCanonicalNumber {
		return "", "number-too-long"
	}
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			return "0", ""
		}
		return text, ""
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil { // valid JSON, so it can only be out of range
		return "", "number-out-of-range"
	}
	return javaDouble(f), ""
}

// javaDouble is Double.toString: the shortest digits that read back as f, but at
// least two of them, as a plain decimal from 1e-3 up to 1e7 and with an exponent
// elsewhere.
func javaDouble(f float64) string {
	if f == 0 {
		if math.Signbit(f) {
			return "-0.0"
		}
		return "0.0"
	}
	short := strconv.FormatFloat(f, 'e', -1, 64)
	if !strings.Contains(short, ".") {
		// One digit would be enough, so Java takes the best two: 4.9E-324, not 5E-324.
		short = strconv.FormatFloat(f, 'e', 1, 64)
	}
	mantissa, exponent, _ := strings.Cut(short, "e")
	if abs := math.Abs(f); abs < 1e-3 || abs >= 1e7 {
		n, _ := strconv.Atoi(exponent)
		return mantissa + "E" + strconv.Itoa(n)
	}
	plain := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(plain, ".") {
		plain += ".0"
	}
	return plain
}

func invalidUTF8(raw []byte) int {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(raw)
}

func syntaxOffset(raw []byte) int {
	var into json.RawMessage
	if syntax, ok := json.Unmarshal(raw, &into).(*json.SyntaxError); ok {
		return max(0, int(syntax.Offset)-1)
	}
	return len(raw)
}
