package url

import (
	"context"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"github.com/glovebox-run/glovebox/budget"
)

// pairSize is what a pair takes in memory besides its bytes, with what a growing
// list leaves behind.
const pairSize = 96

// ReadForm serves url.readForm: application/x-www-form-urlencoded to pairs.
func ReadForm(_ context.Context, account *budget.Account, query string) ([][2]string, error) {
	count := 1 + strings.Count(query, "&")
	if err := account.Hold(count*pairSize + 4*len(query)); err != nil { // what is not UTF-8 grows to three times its size
		return nil, err
	}
	if err := account.ChargeEach(count, 4*budget.Allocation); err != nil {
		return nil, err
	}
	pairs := [][2]string{}
	for len(query) > 0 {
		var piece string
		piece, query, _ = strings.Cut(query, "&")
		if piece != "" {
			name, value, _ := strings.Cut(piece, "=")
			pairs = append(pairs, [2]string{decoded(name), decoded(value)})
		}
	}
	return pairs, nil
}

// decoded resolves plus signs and percent escapes. Bytes that are no UTF-8 become
// U+FFFD.
func decoded(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			out = append(out, ' ')
		case s[i] == '%' && i+2 < len(s) && hex(s[i+1]) >= 0 && hex(s[i+2]) >= 0:
			out = append(out, byte(hex(s[i+1])<<4|hex(s[i+2])))
			i += 2
		default:
			out = append(out, s[i])
		}
	}
	text, err := unicode.UTF8.NewDecoder().Bytes(out) // as browsers replace, not as Go does
	if err != nil {
		return ""
	}
	return string(text)
}

func hex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// WriteForm serves url.writeForm: pairs to application/x-www-form-urlencoded.
func WriteForm(_ context.Context, account *budget.Account, pairs [][2]string) (string, error) {
	size := 0
	for _, p := range pairs {
		size += 3*(len(p[0])+len(p[1])) + len("=&")
	}
	if err := account.Hold(2 * size); err != nil {
		return "", err
	}
	if err := account.ChargeEach(size, budget.Scan); err != nil {
		return "", err
	}
	out := make([]byte, 0, size)
	for i, p := range pairs {
		if i > 0 {
			out = append(out, '&')
		}
		out = appendEncoded(out, p[0])
		out = append(out, '=')
		out = appendEncoded(out, p[1])
	}
	return string(out), nil
}

func appendEncoded(out []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			out = append(out, '+')
		case c < utf8.RuneSelf && (hex(c) >= 0 || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '*' || c == '-' || c == '.' || c == '_'):
			out = append(out, c)
		default:
			out = append(out, '%', digits[c>>4], digits[c&15])
		}
	}
	return out
}
