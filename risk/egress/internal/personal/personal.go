// Package personal finds data about persons in a text: cards, accounts, social security
// numbers, mail addresses and telephone numbers. Numbers with a check digit count only
// if it is right, and the others only beside a word that says what they are.
package personal

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
)

// Found is told the id of the rule and the place of a find.
type Found func(id string, start, end int)

// search is one text being searched.
type search struct {
	text  []byte
	found Found
}

// Each reports what there is, mail addresses first. It reads the text once for each
// kind.
func Each(text []byte, found Found) {
	s := search{text, found}
	s.emails()
	// Of two neighbours in a number one is a digit, so every second byte will do.
	for i := 1; i < len(s.text); i += 2 {
		if c := s.text[i]; c < '0' || '9' < c {
			continue
		}
		if c := s.text[i-1]; '0' <= c && c <= '9' {
			i--
		}
		end := i + 1
		digits := 1
		// Digits in groups: blanks and hyphens stand alone between them.
		for end < len(s.text) && end-i < 40 {
			c := s.text[end]
			if '0' <= c && c <= '9' {
				digits++
			} else if c != ' ' && c != '-' || s.text[end-1] == ' ' || s.text[end-1] == '-' {
				break
			}
			end++
		}
		for end > i && (s.text[end-1] == ' ' || s.text[end-1] == '-') {
			end--
		}
		s.number(i, end, digits)
		for end < len(s.text) && '0' <= s.text[end] && s.text[end] <= '9' {
			end++
		}
		i = end
	}
}

// number looks at digits in groups.
func (s *search) number(start, end, digits int) {
	before := byte(0)
	if start > 0 {
		before = s.text[start-1]
	}
	if pattern.Alnum.Has(before) || before == '_' || before == '.' {
		s.iban(start, end)
		return
	}
	if end < len(s.text) && (pattern.Alnum.Has(s.text[end]) || s.text[end] == '_') {
		return
	}
	switch {
	case before == '+' && digits >= 8 && digits <= 15:
		s.found("phone", start-1, end)
	case digits >= 13 && digits <= 19 && card(s.text[start:end]):
		s.found("card", start, end)
	case digits == 9 && end-start == 11 && s.text[start+3] == '-' && s.text[start+6] == '-' && socialSecurity(s.text[start:end]) && s.near(start, "ssn", "social security", "social_security", "taxpayer"):
		s.found("us-ssn", start, end)
	case digits >= 9 && digits <= 15 && s.near(start, "phone", "tel", "mobile", "cell", "call", "fax", "whatsapp"):
		s.found("phone", start, end)
	}
}

// near reports whether one of the words stands in the 32 bytes before.
func (s *search) near(at int, words ...string) bool {
	before := bytes.ToLower(s.text[max(0, at-32):at])
	for _, w := range words {
		if bytes.Contains(before, []byte(w)) {
			return true
		}
	}
	return false
}

// card reports whether the digits begin like a card number and its check digit
// (Luhn, ISO/IEC 7812-1) is right.
func card(text []byte) bool {
	sum, n := 0, 0
	first := [2]int{}
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] < '0' || '9' < text[i] {
			continue
		}
		d := int(text[i] - '0')
		first[1], first[0] = first[0], d
		if n%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
		n++
	}
	prefix := first[0]*10 + first[1]
	issuer := first[0] == 4 || prefix >= 51 && prefix <= 55 || prefix >= 22 && prefix <= 27 || prefix == 34 || prefix == 37 ||
		prefix == 35 || prefix == 36 || prefix == 38 || prefix == 60 || prefix == 62 || prefix == 64 || prefix == 65
	return issuer && sum%10 == 0 && sum > 0
}

// socialSecurity reports whether area, group and serial number may be given out.
func socialSecurity(text []byte) bool {
	area := string(text[0:3])
	return area != "000" && area != "666" && area[0] != '9' && string(text[4:6]) != "00" && string(text[7:11]) != "0000"
}

// ibanLength is the length of an account number by country (ISO 13616).
var ibanLength = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "CH": 21, "CR": 22, "CY": 28, "CZ": 24,
	"DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27,
	"GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21,
	"LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28,
	"PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "XK": 20,
}

// iban looks at an account number whose first digits are at start.
func (s *search) iban(start, end int) {
	at := start - 2
	if at < 0 || !ascii.IsUpper(s.text[at]) || !ascii.IsUpper(s.text[at+1]) || at > 0 && pattern.Alnum.Has(s.text[at-1]) {
		return
	}
	want := ibanLength[string(s.text[at:start])]
	n, rest := 0, 0
	stop := at
	for stop < len(s.text) && n < want {
		if c := s.text[stop]; pattern.Alnum.Has(c) {
			n++
		} else if c != ' ' {
			break
		}
		stop++
	}
	if want == 0 || n != want || stop < len(s.text) && pattern.Alnum.Has(s.text[stop]) {
		return
	}
	// ISO 7064: the first four characters go to the end, letters count from 10.
	value := bytes.ReplaceAll(s.text[at:stop], []byte(" "), nil)
	for _, c := range append(value[4:len(value):len(value)], value[:4]...) {
		switch {
		case '0' <= c && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case ascii.IsUpper(c):
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return
		}
	}
	if rest == 1 {
		s.found("iban", at, stop)
	}
}

// emails finds mail addresses around at signs.
func (s *search) emails() {
	done := 0
	for at := 0; ; at++ {
		i := bytes.IndexByte(s.text[at:], '@')
		if i < 0 {
			return
		}
		at += i
		start, end := at, at+1
		for start > done && at-start < 64 && (pattern.Alnum.Has(s.text[start-1]) || bytes.IndexByte([]byte("._%+-"), s.text[start-1]) >= 0) {
			start--
		}
		dot := 0
		for end < len(s.text) && end-at < 255 && (pattern.Alnum.Has(s.text[end]) || s.text[end] == '.' || s.text[end] == '-') {
			if s.text[end] == '.' {
				dot = end
			}
			end++
		}
		for end > at+1 && (s.text[end-1] == '.' || s.text[end-1] == '-') {
			end--
		}
		if start < at && dot > at+1 && end-dot >= 3 {
			s.found("email", start, end)
		}
		done, at = end, max(at, end-1)
	}
}
