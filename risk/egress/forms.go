package egress

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
)

// shortestEncoded is the least number of characters of a secret whose encoded
// forms are masked too: nine base64 characters are 54 bits, which no innocent
// text hits by accident.
const shortestEncoded = 8

// longestEncoded bounds the memory of a masker: a secret of more bytes (a key
// file is 4 KiB at most) is masked in plain form only.
const longestEncoded = 16 << 10

// form is one way in which a secret can be written.
type form struct {
	text string
	// Base64 of a secret in the middle of other data shares its outermost
	// characters with its neighbours. They are not part of text, but they carry
	// up to four bits each, so they are masked along with it.
	sharesLeft, sharesRight bool
}

// forms lists the ways in which a secret is looked for, the plain one first.
func forms(secret string) []form {
	list := []form{{text: secret}}
	trimmed := strings.TrimSpace(secret)
	if trimmed != secret && utf8.RuneCountInString(trimmed) >= shortest {
		list = append(list, form{text: trimmed})
	}
	if n := utf8.RuneCountInString(secret); n < shortestEncoded || len(secret) > longestEncoded {
		return list
	}
	for _, text := range textForms(secret) {
		list = append(list, form{text: text})
	}
	list = append(list, base64Forms(secret, base64.RawStdEncoding)...)
	list = append(list, base64Forms(secret, base64.RawURLEncoding)...)
	return list
}

func textForms(secret string) []string {
	escaped := quoteJSON(secret)
	lower := hex.EncodeToString([]byte(secret))
	return []string{
		escaped,
		quoteJSON(escaped), // a JSON text inside a JSON string
		strings.ReplaceAll(escaped, "/", `\/`),
		escapeHTML(secret, escaped),
		escapeUnicode(secret, `\u%04x`),
		escapeUnicode(secret, `\u%04X`),
		html.EscapeString(secret),
		url.QueryEscape(secret),
		url.PathEscape(secret),
		percent(secret, pattern.Alnum, "%%%02X"),
		percent(secret, pattern.Alnum, "%%%02x"),
		percent(secret, componentSet, "%%%02X"),
		percent(secret, componentSet, "%%%02x"),
		percent(secret, uriSet, "%%%02X"),
		lower,
		strings.ToUpper(lower),
	}
}

// quoteJSON is the inside of a JSON string.
func quoteJSON(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return s // a string always encodes
	}
	quoted := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return string(quoted[1 : len(quoted)-1])
}

// escapeHTML is what encoders write that keep < > & out of JSON.
func escapeHTML(secret, fallback string) string {
	quoted, err := json.Marshal(secret)
	if err != nil {
		return fallback
	}
	return string(quoted[1 : len(quoted)-1])
}

// escapeUnicode is what encoders write that keep JSON within ASCII.
func escapeUnicode(s, format string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case ' ' <= r && r < utf8.RuneSelf:
			b.WriteRune(r)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, format, unit)
			}
		}
	}
	return b.String()
}

// What encodeURIComponent and encodeURI of JavaScript leave as it is (ECMA-262,
// 19.2.6): the language of the tools.
var (
	componentSet = pattern.NewSet("0-9A-Za-z_.!~*'()-")
	uriSet       = pattern.NewSet("0-9A-Za-z_.!~*'();/?:@&=+$,#-")
)

// percent escapes every byte that is not in the set.
func percent(s string, keep *pattern.Set, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if keep.Has(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, format, c)
		}
	}
	return b.String()
}

// base64Forms writes the secret at each of the three positions it can have in
// base64 of a longer text, without the characters that depend on neighbours.
func base64Forms(secret string, enc *base64.Encoding) []form {
	list := make([]form, 0, 3)
	for before := range 3 {
		whole := enc.EncodeToString([]byte(strings.Repeat("\x00", before) + secret))
		from := (8*before + 5) / 6           // first character free of the bytes before
		to := 8 * (before + len(secret)) / 6 // after the last one free of those that follow
		list = append(list, form{text: whole[from:to], sharesLeft: before > 0, sharesRight: to < len(whole)})
	}
	return list
}
