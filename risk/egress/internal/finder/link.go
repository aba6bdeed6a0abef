package finder

import (
	"bytes"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
	"github.com/glovebox-run/glovebox/risk/egress/internal/joint"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
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
}

// link reads the text after a name.
func (s *scan) link(start, at int) link {
	i := at
	limit := min(len(s.text), at+longestGap)
	for i < limit && (isQuoteOrBlank(s.text[i]) || s.text[i] == ']' || s.stars(i)) {
		i++
	}
	l := link{from: i, tight: i == at || s.text[at] != ' '}
	option := s.text[start] == '-'
	if i < limit {
		switch c := s.text[i]; {
		case c == '=' || c == ':':
			l.how = assigned
			l.tight = l.tight || c == ':'
			for i++; i < limit && (s.text[i] == '=' || s.text[i] == '>'); i++ {
			}
		case c == '>':
			l.how, i = assigned, i+1
		case c == ',' && i > at && s.valueMember(i) == 0:
			l.how, i = assigned, i+1 // define('NAME', 'value')
			l.tight = false
		case c == '<':
			if next := tags(s.text, i); next > 0 {
				l.how, i = assigned, next
			}
		case c == '-' && i+1 < limit && s.text[i+1] == '>':
			l.how, i = assigned, i+2
		case c >= utf8.RuneSelf:
			for _, sign := range [...]string{"\u2192", "\u21d2", "\uff1a", "\uff1d", "\u2254"} {
				if bytes.HasPrefix(s.text[i:], []byte(sign)) {
					l.how, i = assigned, i+len(sign)
					break
				}
			}
		case i > at && bytes.HasPrefix(s.text[i:], []byte("value=")):
			l.how, i = assigned, i+len("value=") // <add key="NAME" value="...">
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
	l.from = i
	if next, block := s.nextLine(start, sign); next > 0 {
		l.from, l.how, l.block = next, below, block
	}
	return l
}

// stars reports whether an asterisk is one of two.
func (s *scan) stars(at int) bool {
	return s.text[at] == '*' && (at+1 < len(s.text) && s.text[at+1] == '*' || at > 0 && s.text[at-1] == '*')
}

// valueMember returns where the value starts that a member called value has, next
// to the one with the name: "name: API_KEY", and "value: ..." behind a comma or on
// the next line.
func (s *scan) valueMember(at int) int {
	i := at
	if i == len(s.text) || s.text[i] != '\n' && s.text[i] != '\r' && s.text[i] != ',' {
		return 0
	}
	for limit := min(len(s.text), at+joint.LongestBorder); i < limit && (s.text[i] <= ' ' || s.text[i] == ',' || s.text[i] == '"' || s.text[i] == '\''); {
		i++
	}
	if len(s.text)-i < 7 || !bytes.EqualFold(s.text[i:i+5], []byte("value")) {
		return 0
	}
	i += 5
	sign := false
	for limit := min(len(s.text), i+longestGap); i < limit && (isQuoteOrBlank(s.text[i]) || s.text[i] == ':' || s.text[i] == '='); i++ {
		sign = sign || s.text[i] == ':' || s.text[i] == '='
	}
	if !sign {
		return 0
	}
	return i
}

// sentence reads what stands behind a name that no sign follows: --password
// VALUE, "the password is VALUE", "password VALUE", password「VALUE」.
func (s *scan) sentence(at int, option bool, l link) link {
	i := at
	for limit := min(len(s.text), at+longestGap); i < limit && s.text[i] == ' '; {
		i++
	}
	l.from = i
	if option && i > at {
		l.how, l.tight = assigned, true
		return l
	}
	if next := s.copula(i); next > i {
		l.how, i = copula, next
		for i < len(s.text) && s.text[i] == ' ' && i-next < longestGap {
			i++
		}
		l.from = i
	}
	if i == len(s.text) {
		return l
	}
	switch c := s.text[i]; {
	case (c == '\'' || c == '"' || c == '`') && i > at:
		l.how, l.from = assigned, i+1 // quotes around what follows the name
	case c >= utf8.RuneSelf:
		if n := opening(s.text[i:]); n > 0 {
			l.from = i + n
			if l.how == loose {
				l.how = copula
			}
		}
	case i == at && (c == '(' || c == '['):
		l.from = i + 1
	}
	return l
}

// opening returns the length of an opening quotation mark or bracket.
func opening(text []byte) int {
	for _, q := range [...]string{"\u201c", "\u201d", "\u201e", "\u2018", "\u00ab", "\u00bb", "\u2039", "\u300c", "\u300e", "\uff08", "\u3010", "\u300a", "\u3014", "\uff02", "\u3000", "\u00a0"} {
		if bytes.HasPrefix(text, []byte(q)) {
			return len(q)
		}
	}
	return 0
}

// tags skips the end of one element and the start of the next: </td><td>.
func tags(text []byte, at int) int {
	opened := false
	for n := 0; n < 4 && at < len(text) && text[at] == '<'; n++ {
		stop := bytes.IndexByte(text[at:min(len(text), at+joint.LongestTag)], '>')
		if stop < 2 || bytes.HasPrefix(text[at:], []byte("</tr")) {
			return 0
		}
		opened = opened || text[at+1] != '/'
		at += stop + 1
		for at < len(text) && (text[at] == '\n' || text[at] == ' ') && n < 3 {
			at++
		}
	}
	if !opened {
		return 0
	}
	return at
}

// nextLine returns where the value starts when its name ends the line: behind the
// sign of a block in YAML, or with nothing behind the colon.
func (s *scan) nextLine(start, sign int) (at int, block bool) {
	i := sign
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\t') && i-sign < longestGap {
		i++
	}
	if i < len(s.text) && (s.text[i] == '|' || s.text[i] == '>') {
		i++
		block = true
		for i < len(s.text) && (s.text[i] == '-' || s.text[i] == '+' || '0' <= s.text[i] && s.text[i] <= '9') && i-sign < longestGap {
			i++
		}
	}
	if i < len(s.text) && s.text[i] == '\r' {
		i++
	}
	if i >= len(s.text) || s.text[i] != '\n' {
		return 0, false
	}
	return joint.Leading(s.text, start, i+1, 0), block
}

// lines hides a value that has lines of its own below its name. Without the sign
// of a block it has to look drawn.
func (s *scan) lines(l link, is secretname.Naming, strong bool) {
	if is == secretname.NamesNothing || is == secretname.NamesHeader || is == secretname.NamesCookie {
		return
	}
	end := l.from
	for limit := min(len(s.text), l.from+longestValue); end < limit && s.text[end] != '\n' && s.text[end] != '\r' && (l.block || decode.TokenSet.Has(s.text[end]) || is == secretname.NamesPassword && s.text[end] > ' '); {
		end++
	}
	for end > l.from && (s.text[end-1] == ' ' || s.text[end-1] == '\t') {
		end--
	}
	value := s.text[l.from:end]
	if !joint.LineEnds(s.text, end) {
		return
	}
	switch {
	case l.block:
		if secretname.Convincing(is, value) || strong && secretname.LettersOnly(value) && is == secretname.NamesPassword && secretname.WordSecret(nil, value) {
			s.broken(ruleOf(is, false), l.from, end, is)
		}
	case len(value) >= 12 && secretvalue.Random(value) && secretname.Convincing(is, value), is == secretname.NamesPassword && secretname.Convincing(is, value) && (secretname.Varied(value) || secretname.ChosenWell(value)):
		s.broken(ruleOf(is, false), l.from, end, is)
	}
}

func isQuoteOrBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '`' || c == '\\'
}

// longestAside bounds the words between a name and its colon, in bytes: "the API
// token for this project: ...".
const longestAside = 40

// afterColon returns where a value may start behind the rest of a sentence and a
// colon, -1 for nowhere.
func (s *scan) afterColon(at int) int {
	aside := s.text[at:min(len(s.text), at+longestAside)]
	sign := bytes.IndexByte(aside, ':')
	if wide := bytes.IndexByte(aside, 0xef); wide >= 0 && bytes.HasPrefix(aside[wide:], []byte("\uff1a")) && (sign < 0 || wide < sign) {
		if plainAside(aside[:wide]) {
			return at + wide + len("\uff1a")
		}
		return -1
	}
	for _, verb := range [...]string{" is ", " es ", " ist ", " est ", " lautet ", " \u00e8 ", " \u00e9 "} {
		if is := bytes.Index(aside, []byte(verb)); is > 0 && (sign < 0 || is < sign) && plainAside(aside[:is]) {
			return at + is + len(verb)
		}
	}
	if sign < 0 || sign+1 >= len(aside) || aside[sign+1] != ' ' || !plainAside(aside[:sign]) {
		return -1
	}
	from := at + sign
	from += 2
	for limit := min(len(s.text), from+longestGap/2); from < limit && isQuoteOrBlank(s.text[from]); {
		from++
	}
	return from
}

// plainAside reports whether words are still those of the sentence of the name.
func plainAside(words []byte) bool {
	for _, c := range words {
		if c == '\n' || c == '.' || c == ',' || c == ';' || c == '=' || c == '"' {
			return false
		}
	}
	return true
}

// value returns the value that starts at a position. One in quotes ends at the
// same quote; any other at a blank or bracket, and one in ASCII at a letter or
// mark of a script that is written without blanks.
func (s *scan) value(from int) (int, int) {
	end := from
	limit := min(len(s.text), from+longestValue)
	if from > 0 && from < len(s.text) && (s.text[from-1] == '"' || s.text[from-1] == '\'' || s.text[from-1] == '`') {
		quote := s.text[from-1]
		for end < limit && s.text[end] != quote && s.text[end] != '\n' && !(s.text[end] == '\\' && end+1 < limit && s.text[end+1] == quote) {
			end++
		}
		return from, end
	}
	plain := from < limit && s.text[from] < utf8.RuneSelf
	if !plain {
		limit = min(limit, from+secretname.LongestPassword)
	}
	for end < limit && (!valueEnd.Has(s.text[end]) || s.text[end] == '&' && !s.parameter(end+1)) && !(plain && s.foreign(end)) {
		end++
	}
	s.valueFrom, s.valueTo = from, end
	// Punctuation after the value belongs to the sentence. An exclamation mark is
	// as likely part of a password.
	for end > from && (s.text[end-1] == '.' || s.text[end-1] == ':' || s.text[end-1] == '?') {
		end--
	}
	if emphasis := bytes.TrimRight(s.text[from:end], "*"); from+len(emphasis) < end-1 {
		end = from + len(emphasis)
	}
	return from, end
}

// foreign reports whether a character begins that no password of ASCII goes on
// with: anything but letters of the Latin alphabet, and quotation marks.
func (s *scan) foreign(at int) bool {
	c := s.text[at]
	if c < utf8.RuneSelf {
		return false
	}
	return c >= 0xca || c == 0xc2
}

// parameter reports whether a name and an equals sign follow, as after an
// ampersand between the parameters of a URL or form.
func (s *scan) parameter(at int) bool {
	end := at
	for limit := min(len(s.text), at+secretvalue.LongestName/2); end < limit && nameSet.Has(s.text[end]); {
		end++
	}
	return end > at && end < len(s.text) && s.text[end] == '='
}

// ends reports whether a value ends here as those of settings do: not at a
// bracket or comma of a program.
func (s *scan) ends(at int) bool {
	if at == len(s.text) {
		return true
	}
	switch s.text[at] {
	case '(', ')', ',', '.', '[', ']', '{':
		return false
	}
	return true
}

// restOfLine extends a password to the end of its line when that is made of what
// passwords contain: a setting's value may have brackets and ampersands.
func (s *scan) restOfLine(from, to int) int {
	if to == len(s.text) || from == 0 || s.text[to] <= ' ' || s.text[to] >= utf8.RuneSelf || bytes.IndexByte([]byte("&|<>()[]{};,"), s.text[to]) < 0 || s.text[from-1] == '"' || s.text[from-1] == '\'' || s.text[from-1] == '(' {
		return to
	}
	end := to
	for limit := min(len(s.text), from+secretname.LongestPassword); end < limit && s.text[end] > ' ' && s.text[end] < utf8.RuneSelf && bytes.IndexByte([]byte("\"'`=\\<"), s.text[end]) < 0; {
		end++
	}
	// Something has to follow the bracket, and the name has to begin the line.
	if end == len(s.text) || s.text[end] == '\n' || s.text[end] == '\r' {
		if last := s.text[end-1]; end-to > 1 && (pattern.Alnum.Has(last) || last == '!' || last == '#' || last == '*') && s.settingLine(from) {
			return end
		}
	}
	return to
}

// settingLine reports whether nothing but a name stands between the start of the
// line and a value.
func (s *scan) settingLine(from int) bool {
	signs := 0
	for i := from - 1; i >= 0 && from-i < secretvalue.LongestName && s.text[i] != '\n'; i-- {
		if c := s.text[i]; c == '=' || c == ':' {
			signs++
		} else if !nameSet.Has(c) && c != ' ' {
			return false
		}
	}
	return signs == 1
}
