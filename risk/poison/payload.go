package poison

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/poison/glyph"
	"github.com/glovebox-run/glovebox/risk/poison/internal/ascii"
)

// payload is text inside a text that a plain reading misses: encoded, commented
// out, or pushed out of sight by blanks.
type payload struct {
	rule       string
	start, end int // in the string that holds it
	text       string
}

// Rules of the payload layer.
const (
	base64Payload  = "base64"
	hexPayload     = "hex"
	percentPayload = "percent-escapes"
	escapePayload  = "character-escapes"
	entityPayload  = "character-references"
	commentPayload = "markup-comment"
	paddingPayload = "padding"
)

var payloadRules = []struct {
	id    string
	class Class
	why   string
}{
	{base64Payload, EncodedPayload, "an order is written in base64"},
	{hexPayload, EncodedPayload, "an order is written in hexadecimal"},
	{percentPayload, EncodedPayload, "an order is written in percent escapes"},
	{escapePayload, EncodedPayload, "an order is written in character escapes"},
	{entityPayload, EncodedPayload, "an order is written in character references"},
	{rot13Payload, EncodedPayload, "an order is written with the letters of the alphabet shifted by 13"},
	{reversedPayload, EncodedPayload, "an order is written backwards"},
	{codesPayload, EncodedPayload, "an order is written as numbers of characters"},
	{spacedPayload, EncodedPayload, "an order is written letter by letter"},
	{base32Payload, EncodedPayload, "an order is written in base32"},
	{leetPayload, EncodedPayload, "an order is written with digits for letters"},
	{commentPayload, HiddenText, "an order stands in a comment, which is not shown"},
	{paddingPayload, HiddenText, "an order stands behind blanks, out of sight"},
}

const (
	minEncoded = 24  // shorter runs are too short for an instruction
	minEscapes = 8   // "%20%2F" occurs in every second URL
	minBlanks  = 120 // blanks in a row: wider than a window
	minLines   = 16  // empty lines in a row: higher than most previews
)

// payloads finds what is encoded or out of sight in s. Each finder goes over s
// once, and a decoded text is never longer than its code.
func payloads(s string) (found []payload) {
	if len(s) < minEncoded {
		return nil
	}
	found = encodedRuns(s, found)
	found = escapes(s, "%", percentPayload, func(code string) string {
		text, _ := url.PathUnescape(code)
		return text
	}, found)
	found = escapes(s, `\`, escapePayload, unescape, found)
	found = escapes(s, "&#", entityPayload, html.UnescapeString, found)
	found = disguised(s, found)
	found = comments(s, found)
	return padding(s, found)
}

func isBase64(c byte) bool {
	return ascii.Letter(c) || ascii.Digit(c) || c == '+' || c == '/' || c == '-' || c == '_'
}

// encodedRuns finds long words of the base64 and hex alphabets that decode to
// text. An honest example decodes to text as well; the rules judge what it says.
func encodedRuns(s string, found []payload) []payload {
	for i := 0; i < len(s); i++ {
		j := i
		for j < len(s) && isBase64(s[j]) {
			j++
		}
		if j-i >= minEncoded {
			code := s[i:j]
			if b, err := hex.DecodeString(code[:len(code)&^1]); err == nil {
				if text := readable(b); text != "" {
					found = append(found, payload{hexPayload, i, j, text})
				}
			} else if text := fromBase64(code); text != "" {
				found = append(found, payload{base64Payload, i, j, text})
			}
		}
		i = j
	}
	return found
}

func fromBase64(code string) string {
	enc := base64.RawStdEncoding
	if strings.ContainsAny(code, "-_") {
		enc = base64.RawURLEncoding
	}
	for cut := range 4 { // a neighbour may have stuck to the code
		if n := len(code) - cut; n%4 != 1 {
			if b, err := enc.DecodeString(code[:n]); err == nil {
				if text := readable(b); text != "" {
					return text
				}
			}
		}
	}
	return ""
}

// readable returns b as text if it is words, not just any printable bytes.
func readable(b []byte) string {
	text := glyph.Printable(b)
	if strings.ContainsAny(strings.TrimSpace(text), " \n　") || strings.ContainsFunc(text, func(c rune) bool { return c >= 0x2E80 }) {
		return text
	}
	return ""
}

// escapes finds stretches in which most characters are escaped. The sign is escapes
// where none are needed; a query with a few %20 does not count.
func escapes(s, lead, rule string, decode func(string) string, found []payload) []payload {
	const near = 12 // bytes from one escape to the next
	for i := 0; i < len(s); {
		at := strings.Index(s[i:], lead)
		if at < 0 {
			return found
		}
		start, end, count := i+at, i+at, 0
		for {
			next := strings.Index(s[end:min(len(s), end+near)], lead)
			if next < 0 {
				break
			}
			end += next + len(lead)
			count++
		}
		for end < len(s) && (ascii.Word(s[end]) || s[end] == ';') && count > 0 {
			end++
		}
		if count >= minEscapes && count*6 >= end-start {
			if text := decode(s[start:end]); text != s[start:end] && utf8.ValidString(text) {
				found = append(found, payload{rule, start, end, text})
			}
		}
		i = max(end, start+len(lead))
	}
	return found
}

// unescape reads \xHH, \uHHHH and \u{H...}; everything else stands for itself.
func unescape(code string) string {
	var b strings.Builder
	for i := 0; i < len(code); i++ {
		digits, width := "", 0
		switch rest := code[i:]; {
		case strings.HasPrefix(rest, `\x`) && len(rest) >= 4:
			digits, width = rest[2:4], 4
		case strings.HasPrefix(rest, `\u{`) && strings.IndexByte(rest[:min(len(rest), 11)], '}') > 3:
			close := strings.IndexByte(rest, '}')
			digits, width = rest[3:close], close+1
		case strings.HasPrefix(rest, `\u`) && len(rest) >= 6:
			digits, width = rest[2:6], 6
		}
		if c, err := strconv.ParseUint(digits, 16, 21); err == nil && width > 0 {
			b.WriteRune(rune(c))
			i += width - 1
			continue
		}
		b.WriteByte(code[i])
	}
	return b.String()
}

// comments finds what HTML and Markdown do not show.
func comments(s string, found []payload) []payload {
	for _, kind := range [...]struct{ open, close string }{{"<!--", "-->"}, {"[//]: # (", ")"}, {"[comment]: # (", ")"}, {"<details", "</details>"}, {"{#", "#}"}} {
		for i := 0; ; {
			at := strings.Index(s[i:], kind.open)
			if at < 0 {
				break
			}
			start := i + at
			end := strings.Index(s[start+len(kind.open):], kind.close)
			if end < 0 {
				found = append(found, payload{commentPayload, start, len(s), s[start+len(kind.open):]})
				break
			}
			i = start + len(kind.open) + end
			found = append(found, payload{commentPayload, start, i, s[start+len(kind.open) : i]})
		}
	}
	return found
}

// padding finds text that follows more blanks than a person scrolls through. A run
// that is long enough covers one of every minLines bytes, so only those are
// looked at until one is blank.
func padding(s string, found []payload) []payload {
	for i := 0; i < len(s); i += minLines {
		if !ascii.Space(s[i]) {
			continue
		}
		start, end := i, i
		for start > 0 && ascii.Space(s[start-1]) {
			start--
		}
		for end < len(s) && ascii.Space(s[end]) {
			end++
		}
		if lines := strings.Count(s[start:end], "\n"); end < len(s) && (end-start >= minBlanks || lines >= minLines) {
			return append(found, payload{paddingPayload, start, len(s), s[end:]})
		}
		i = end
	}
	return found
}
