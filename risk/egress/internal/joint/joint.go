// Package joint reads what may stand between the parts of a token that is written in
// several pieces: a line end with the quotation marks of a mail, a bullet or the mark of a
// comment behind it, the operator that joins two literals, markup inside a word, the comma
// of a list.
package joint

import (
	"bytes"
	"slices"

	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
)

// Distances, in bytes: a mail quotes its quotes a few times, a program indents a literal
// by a few levels.
const (
	LongestBorder = 64
	LongestTag    = 40
)

// Kind is the kind of text before a part.
type Kind uint8

const (
	LineBreak Kind = iota
	Operator       // literals that a program joins
	InWord         // markup inside a word
	Item           // the comma of a list
)

// Of classifies what stands between two parts.
func Of(between []byte) Kind {
	switch {
	case bytes.IndexByte(between, '\n') >= 0:
		return LineBreak
	case between[0] == '*' || between[0] == '<':
		return InWord
	case bytes.IndexByte(between, ',') >= 0:
		return Item
	}
	return Operator
}

// LineAfter returns where the next line begins if a line ends here, 0 if not.
func LineAfter(text []byte, at int) int {
	if at < len(text) && text[at] == '\r' {
		at++
	}
	if at+1 < len(text) && text[at] == '\n' {
		return at + 1
	}
	return 0
}

// Seeker finds the bytes that interrupt tokens, in order. A byte that does not
// occur costs one search of the text.
type Seeker struct {
	Text []byte
	at   [len(interrupts)]int
	read bool
}

const interrupts = "\n\"'`*<"

func (s *Seeker) Next(from int) int {
	first := -1
	for k := range s.at {
		if !s.read || s.at[k] >= 0 && s.at[k] < from {
			if s.at[k] = bytes.IndexByte(s.Text[min(from, len(s.Text)):], interrupts[k]); s.at[k] >= 0 {
				s.at[k] += from
			}
		}
		if s.at[k] >= 0 && (first < 0 || s.at[k] < first) {
			first = s.at[k]
		}
	}
	s.read = true
	return first
}

// Trailing are the bytes that may stand between a part and the end of its line.
func Trailing(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\\', '|', '"', '\'', '`', '+', '&', '.', ',', '_', ';', ')', ']', '*':
		return true
	}
	return false
}

// LineEnds reports whether nothing but closing punctuation follows on the line.
func LineEnds(text []byte, at int) bool {
	for limit := min(len(text), at+LongestBorder/8); at < limit && text[at] != '\n' && Trailing(text[at]); {
		at++
	}
	return at == len(text) || text[at] == '\n'
}

// Gap returns where a token whose part from start on is interrupted at end goes
// on, and -1 if it does not.
func Gap(text []byte, start, end int) int {
	at, quote := end, byte(0)
	if at < len(text) && (text[at] == '"' || text[at] == '\'' || text[at] == '`') {
		quote = text[at]
		at++
	} else if next := markup(text, at); next > 0 {
		at = next
		if at < len(text) && decode.TokenSet.Has(text[at]) {
			return at
		}
	}
	// The operator that joins literals follows the quote; a bar may end a table row,
	// and a backslash a shell line.
	for limit := min(len(text), end+LongestBorder/4); at < limit; at++ {
		c := text[at]
		joint := c == '+' || c == '&' || c == '.' || c == ',' || c == '~' || c == '_' || c == '|'
		goesOn := c == '`' && quote != 0 && at+1 < len(text) && (text[at+1] == '\n' || text[at+1] == '\r') // PowerShell
		if c != ' ' && c != '\t' && c != '\r' && c != '\\' && c != '|' && !(joint && quote != 0) && !goesOn {
			break
		}
	}
	if at == len(text) {
		return -1
	}
	if text[at] == '\n' {
		return Leading(text, start, at+1, quote)
	}
	if quote == 0 || at == end+1 || text[at] != quote || at+1 == len(text) || !decode.TokenSet.Has(text[at+1]) {
		return -1
	}
	return at + 1
}

// Leading returns where a token goes on behind the indentation, the quotation
// marks of a mail, the marks of a comment or the bullet at the start of a line.
func Leading(text []byte, start, line int, quote byte) int {
	// The line begins like the one before.
	from := start
	for from > 0 && start-from < LongestBorder && text[from-1] != '\n' {
		from--
	}
	before := text[from:start]
	if quote == 0 && len(before) > 0 && (from == 0 || text[from-1] == '\n') && !pattern.Alnum.Has(before[len(before)-1]) && before[len(before)-1] != '=' &&
		bytes.HasPrefix(text[line:], before) && line+len(before) < len(text) && decode.TokenSet.Has(text[line+len(before)]) {
		return line + len(before)
	}
	numbered := false
	first := line
	if line < len(text) && (text[line] == '+' || text[line] == '-') && text[from] == text[line] {
		first++ // both lines of a patch
	}
	for at := first; at < len(text) && at-line < LongestBorder; {
		c := text[at]
		switch {
		case c == ' ' || c == '\t' || c == '>' || c == '#' || c == '|' || c == ';' || c == '*' || c == '&':
			at++
			continue
		case c == '"' || c == '\'' || c == '`':
			if c != quote || at+1 == len(text) || !decode.TokenSet.Has(text[at+1]) {
				return -1
			}
			return at + 1
		case c == 0xe2 || c == 0xc2:
			n := bullet(text[at:])
			if n == 0 {
				return -1
			}
			at += n
			continue
		case c == '-' || c == '/' || c == '+' || c == '.':
			n := at
			for n < len(text) && text[n] == c {
				n++
			}
			if n < len(text) && (text[n] == ' ' || text[n] == '\t') {
				at = n
				continue
			}
		case pattern.Alnum.Has(c) && !numbered:
			if n := numeral(text[at:]); n > 0 {
				at, numbered = at+n, true
				continue
			}
		}
		if quote == 0 && decode.TokenSet.Has(c) && !bytes.HasPrefix(text[at:], []byte("--")) {
			return at
		}
		return -1 // a line of hyphens ends a part of a form
	}
	return -1
}

// bullet returns the length of a bullet or border that text begins with.
func bullet(text []byte) int {
	for _, b := range [...]string{"\u2022", "\u00b7", "\u2502", "\u2503", "\u2013", "\u25e6", "\u25aa", "\u00a0"} {
		if bytes.HasPrefix(text, []byte(b)) {
			return len(b)
		}
	}
	return 0
}

// numeral returns the length of the number of an item such as "2. " or "b) ", or of a
// line, which a wider gap or a border follows.
func numeral(text []byte) int {
	n := 0
	for n < len(text) && n < 5 && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	if n > 0 && n+1 < len(text) && (text[n] == '\t' || text[n] == '|' || text[n] == ' ' && (text[n+1] == ' ' || text[n+1] == '|')) {
		return n + 1
	}
	if n == 0 {
		n = 1
	}
	if n+1 < len(text) && (text[n] == '.' || text[n] == ')' || text[n] == ':') && text[n+1] == ' ' {
		return n + 2
	}
	return 0
}

// inline are the tags that may stand inside a word.
var inline = [...]string{"br", "wbr", "b", "i", "u", "s", "em", "strong", "span", "mark", "code", "kbd", "tt", "font", "a", "sub", "sup", "shy"}

// markup returns the end of emphasis or of tags at a position, 0 for neither.
func markup(text []byte, at int) int {
	stars := at
	for stars < len(text) && text[stars] == '*' && stars-at < 3 {
		stars++
	}
	if stars-at >= 2 {
		return stars
	}
	first := at
	for at < len(text) && text[at] == '<' {
		stop := bytes.IndexByte(text[at:min(len(text), at+LongestTag)], '>')
		if stop < 0 {
			break
		}
		tag := bytes.TrimLeft(text[at+1:at+stop], "/")
		if i := bytes.IndexAny(tag, " /"); i >= 0 {
			tag = tag[:i]
		}
		if !slices.ContainsFunc(inline[:], func(name string) bool { return bytes.EqualFold(tag, []byte(name)) }) {
			break
		}
		at += stop + 1
	}
	if at == first {
		return 0
	}
	return at
}
