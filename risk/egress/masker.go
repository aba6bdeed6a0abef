package egress

import (
	"slices"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/automaton"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
)

// Mask replaces a known secret.
const Mask = "***"

// Masker replaces secrets whose values are known, such as resolved static
// variables, wherever they occur and however they are encoded. It holds no
// state: the zero value and nil know no secret and change nothing.
type Masker struct {
	find  *automaton.Automaton
	forms []form
}

// NewMasker makes a masker for the values; those of fewer than four characters
// are ignored. From eight characters on, the base64 (at any position in a longer
// text), hexadecimal, percent-, HTML- and JSON-escaped forms are masked as well.
func NewMasker(secrets []string) *Masker {
	m := &Masker{}
	seen := map[string]bool{}
	var patterns []string
	for _, secret := range secrets {
		if utf8.RuneCountInString(secret) < shortest {
			continue
		}
		for _, f := range forms(secret) {
			if !seen[f.text] {
				seen[f.text] = true
				m.forms = append(m.forms, f)
				patterns = append(patterns, f.text)
			}
		}
	}
	if len(patterns) > 0 {
		m.find = automaton.Build(patterns, false)
	}
	return m
}

// longest is the length of the longest form of a secret, in bytes.
func (m *Masker) longest() int {
	if m == nil || m.find == nil {
		return 0
	}
	longest := 0
	for i := range m.forms {
		longest = max(longest, m.find.Len(i))
	}
	return longest
}

// String returns s with every secret masked. Secrets that touch are masked one
// by one; secrets that overlap are masked to the last character of the last.
func (m *Masker) String(s string) string {
	found := locate(m, s)
	if len(found) == 0 {
		return s
	}
	return string(mask(nil, s, found))
}

// Bytes is String for bytes. Without a secret it returns text itself.
func (m *Masker) Bytes(text []byte) []byte {
	found := locate(m, text)
	if len(found) == 0 {
		return text
	}
	return mask(nil, text, found)
}

// span is the place of a secret in a text.
type span struct {
	start, end int
	first      int // the end of the secret that the span began with
}

// locate returns the places to mask in order and without overlaps.
func locate[T automaton.Text](m *Masker, text T) []span {
	if m == nil || m.find == nil {
		return nil
	}
	var found []span
	automaton.Each(m.find, text, func(pattern, end int) {
		start := end - m.find.Len(pattern)
		f := m.forms[pattern]
		if f.sharesLeft && start > 0 && isBase64(text[start-1]) {
			start--
		}
		if f.sharesRight && end < len(text) && isBase64(text[end]) {
			end++
		}
		found = addSpan(found, start, end)
	})
	return found
}

// addSpan adds a match, in order of their ends, to spans in order. Time over all
// matches is linear: each is pushed once and popped once.
func addSpan(spans []span, start, end int) []span {
	for len(spans) > 0 && spans[len(spans)-1].start >= start {
		spans = spans[:len(spans)-1]
	}
	if len(spans) > 0 {
		last := &spans[len(spans)-1]
		if start < last.first {
			last.end = max(last.end, end)
			return spans
		}
		last.end = min(last.end, start)
	}
	return append(spans, span{start, end, end})
}

func mask[T automaton.Text](dst []byte, text T, spans []span) []byte {
	dst = slices.Grow(dst, len(text))
	at := 0
	for _, s := range spans {
		dst = append(dst, text[at:s.start]...)
		dst = append(dst, Mask...)
		at = s.end
	}
	return append(dst, text[at:]...)
}

func isBase64(c byte) bool {
	return pattern.Base64.Has(c)
}
