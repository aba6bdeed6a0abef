package finder

import (
	"bytes"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/joint"
)

// linking is the kind of text between a name and its value.
type linking uint8

const (
	loose    linking = iota // nothing but a blank
	copula                  // "is"
	aside                   // a colon after a few words: the API token for this project: ...
	assigned                // a sign such as = or :, quotes, or a tag
	below                   // a sign, and the value has lines of its own
)

type link struct {
	from  int // where the value may start
	how   linking
	tight bool // the sign stands at the name, as = does in settings and not in code
	block bool // a block of YAML
	noun  bool // the name is a noun of another language, which no program has for a word of its own
}

// link reads the text after a name.
func (s *scan) link(start, at int) link {
	if next := s.formPart(start, at); next > 0 {
		return link{from: next, how: assigned, tight: true}
	}
	if next := s.attribute(start, at); next > 0 {
		return link{from: next, how: assigned, tight: true}
	}
	if next := s.nextItem(start, at); next > 0 {
		return link{from: next, how: assigned}
	}
	i := at
	limit := min(len(s.text), at+longestGap)
	for i < limit && (isQuoteOrBlank(s.text[i]) || s.text[i] == ']' || s.stars(i)) {
		i++
	}
	if i == limit { // signs below one another
		for limit = min(len(s.text), at+joint.LongestBorder); i < limit && s.text[i] == ' '; {
			i++
		}
	}
	l := link{from: i, tight: i == at || s.text[at] != ' '}
	option := s.text[start] == '-' || s.directive(start) || s.netrc(start)
	if i < limit {
		switch c := s.text[i]; {
		case c == '=' || c == ':':
			l.how = assigned
			l.tight = l.tight || c == ':'
			for i++; i < limit && (s.text[i] == '=' || s.text[i] == '>' || s.text[i] == ':' && i+1 < limit && s.text[i+1] == ' '); i++ {
			}
			if c == ':' {
				i = s.typed(i)
			}
		case c == '>':
			l.how, i = assigned, i+1
			if cdata := []byte("<![CDATA["); bytes.HasPrefix(s.text[i:], cdata) {
				i += len(cdata)
			} else if i < len(s.text) && s.text[i] == '<' {
				if next := tags(s.text, i); next > 0 && s.text[i+1] != '/' {
					i = next // <Password><Value>
				}
			}
		case c == ',' && i > at && s.valueMember(i) == 0:
			l.how, i = assigned, i+1 // define('NAME', 'value')
			l.tight = false
		case c == '<':
			if next := tags(s.text, i); next > 0 {
				l.how, i = assigned, next
			}
		case c == '}' && i+1 < limit && s.text[i+1] == '{', c == '{' && i == at && start > 0 && s.text[start-1] == '\\':
			l.how, i = assigned, i+1 // \newcommand{\apikey}{...}, \apikey{...}
			if c == '}' {
				i++
			}
		case c == '-' && i+1 < limit && s.text[i+1] == '>':
			l.how, i = assigned, i+2
		case c == 0xe2 || c == 0xef: // the first bytes of these signs
			for _, sign := range [...]string{"\u2192", "\u21d2", "\uff1a", "\uff1d", "\u2254"} {
				if bytes.HasPrefix(s.text[i:], []byte(sign)) {
					l.how, i = assigned, i+len(sign)
					break
				}
			}
		case i > at && bytes.HasPrefix(s.text[i:], []byte("value=")):
			l.how, i = assigned, i+len("value=") // <add key="NAME" value="...">
		case i+3 < len(s.text) && (c == '|' || c == '?') && s.text[i+1] == c:
			l.how, i = assigned, i+2 // what a variable is if nothing else says it
			if s.text[i] == '=' {
				i++
			}
		case c == '&' && i > at && i+1 < limit && s.text[i+1] == ' ':
			l.how, i = assigned, i+1 // a cell of TeX
		case c == 'R' && i > at && bytes.HasPrefix(s.text[i:], []byte("REG_SZ ")):
			l.how, i = assigned, i+len("REG_SZ ") // of the registry of Windows
		case i > at && bytes.HasPrefix(s.text[i:], []byte("content=")):
			l.how, i = assigned, i+len("content=") // <meta name="NAME" content="...">
		}
	}
	if l.how == loose {
		if next := s.copula(i); next > i && next < len(s.text) {
			switch {
			case s.text[next-1] == ':':
				l.how, i = assigned, next
			case s.text[next] == ':':
				l.how, i = assigned, next+1
			case bytes.HasPrefix(s.text[next:], []byte("\uff1a")):
				l.how, i = assigned, next+len("\uff1a")
			}
		}
	}
	if l.how == loose && i > at && s.text[at] == ' ' {
		if next := s.typed(i); next > i {
			l.how, i, l.tight = assigned, next, false
		}
	}
	if l.how == loose {
		if next := s.valueMember(i); next > 0 {
			l.how, l.from, l.tight = assigned, next, true
			return l
		}
		return s.sentence(at, option, l)
	}
	sign := i
	for limit = min(len(s.text), i+longestGap); i < limit && (isQuoteOrBlank(s.text[i]) || s.text[i] == '(' || s.text[i] == '[' || s.stars(i)); i++ {
	}
	if i < limit && s.text[i] >= utf8.RuneSelf {
		i += opening(s.text[i:])
	}
	if i < limit && s.text[i] == 'u' && s.text[i-1] == '\\' && (bytes.HasPrefix(s.text[i:], []byte("u0022")) || bytes.HasPrefix(s.text[i:], []byte("u0027"))) {
		i += len("u0022") // a quotation mark that is written out
	}
	for _, tag := range [...]string{"</strong> ", "</b> ", "</em> ", "</span> ", "<code>", "<kbd>", "<b>", "<strong>", "<tt>", "<span>"} {
		if i < limit && s.text[i] == '<' && bytes.HasPrefix(s.text[i:], []byte(tag)) {
			i += len(tag) // Key: <code>
		}
	}
	if i+1 < len(s.text) && isMark(s.text[i+1]) && bytes.IndexByte([]byte("NEbBruRUfL@$"), s.text[i]) >= 0 {
		i += 2 // N'...' of SQL, b'...' of Python, @"..." of C#
	}
	l.from = s.wrapped(i)
	if next := s.valueMember(sign); next > 0 {
		l.from, l.tight = next, true // NAME: and a member called value below
		return l
	}
	if next, block := s.nextLine(start, sign); next > 0 {
		l.from, l.how, l.block = next, below, block
	}
	return l
}

// directives set a variable to what follows its name behind a blank.
var directives = [...]string{"ENV ", "ARG ", "SetEnv ", "setenv ", "set -gx ", "set -x ", "set -Ux ", "setx "}

// directive reports whether the name that starts here is that of a variable which a
// directive sets.
func (s *scan) directive(start int) bool {
	if start == 0 || s.text[start-1] != ' ' {
		return false
	}
	for _, d := range directives {
		if from := start - len(d); from >= 0 && string(s.text[from:start]) == d && (from == 0 || s.text[from-1] <= ' ') {
			return true
		}
	}
	return false
}

// stars reports whether an asterisk is one of two.
func (s *scan) stars(at int) bool {
	return s.text[at] == '*' && (at+1 < len(s.text) && s.text[at+1] == '*' || at > 0 && s.text[at-1] == '*')
}

func isQuoteOrBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '`' || c == '\\'
}
