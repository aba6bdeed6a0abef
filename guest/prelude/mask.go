package prelude

import (
	"slices"
	"strings"
)

// mask blanks strings, comments, regular expressions and the text of templates, so
// that only code is left. Every other byte keeps its place.
func mask(code string) string {
	m := masker{in: code, out: []byte(code)}
	for m.at < len(m.in) {
		m.step()
	}
	return string(m.out)
}

type masker struct {
	in        string
	out       []byte
	at        int
	last      int   // where the last token that counts ended
	templates []int // depth of braces inside each open ${
}

func (m *masker) step() {
	rest := m.in[m.at:]
	switch c := rest[0]; {
	case strings.HasPrefix(rest, "//"):
		m.blank(lineEnd(rest))
		return
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		m.blank(closing(end, 4, len(rest)))
		return
	case c == '/' && m.regexpMayBegin():
		m.blank(regexpEnd(rest))
	case c == '"', c == '\'':
		m.blank(stringEnd(rest))
	case c == '`':
		m.at++
		m.template()
	case c == '{' && len(m.templates) > 0:
		m.templates[len(m.templates)-1]++
		m.at++
	case c == '}' && len(m.templates) > 0:
		m.at++
		top := len(m.templates) - 1
		if m.templates[top]--; m.templates[top] < 0 {
			m.templates = m.templates[:top]
			m.template()
		}
	default:
		m.at++
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			return
		}
	}
	m.last = m.at
}

// template blanks the text of a template up to its end or the next ${.
func (m *masker) template() {
	for m.at < len(m.in) {
		switch {
		case m.in[m.at] == '`':
			m.at++
			return
		case strings.HasPrefix(m.in[m.at:], "${"):
			m.templates = append(m.templates, 0)
			m.at += 2
			return
		case m.in[m.at] == '\\':
			m.blank(min(2, len(m.in)-m.at))
		default:
			m.blank(1)
		}
	}
}

// blank replaces the next n bytes, except line ends.
func (m *masker) blank(n int) {
	for end := min(m.at+n, len(m.in)); m.at < end; m.at++ {
		if m.in[m.at] != '\n' {
			m.out[m.at] = ' '
		}
	}
}

// beforeRegexp are words after which a slash begins a regular expression.
var beforeRegexp = []string{"return", "typeof", "case", "in", "of", "new", "delete", "void", "throw", "instanceof", "do", "else", "await", "yield"}

// regexpMayBegin tells a regular expression from a division by the text before it.
func (m *masker) regexpMayBegin() bool {
	before := string(m.out[max(0, m.last-12):m.last])
	if before == "" {
		return true
	}
	c := before[len(before)-1]
	if inName(c) {
		return slices.Contains(beforeRegexp, before[len(before)-nameBefore(before):])
	}
	return c != ')' && c != ']' && c != '}' && c != '"' && c != '\'' && c != '`' && c != ' '
}

func regexpEnd(text string) int {
	class := false
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '\n':
			return 1 // a division after all
		case '/':
			if !class {
				return i + 1
			}
		}
	}
	return 1
}

func stringEnd(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n', text[0]:
			return i + 1
		}
	}
	return len(text)
}

func lineEnd(text string) int {
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		return end
	}
	return len(text)
}

func closing(found, around, whole int) int {
	if found < 0 {
		return whole
	}
	return found + around
}

func inName(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func nameBefore(text string) int {
	n := 0
	for n < len(text) && inName(text[len(text)-1-n]) {
		n++
	}
	return n
}
