package finder

import (
	"bytes"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
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
		if i < len(s.text) && isMark(s.text[i]) {
			l.from++
		}
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
	case i > at && (c == '(' || c == '['):
		l.from = i + 1 // the password (`...`)
		if l.from < len(s.text) && isMark(s.text[l.from]) {
			l.how, l.from = copula, l.from+1
		}
	case i == at && c == '(' && i+1 < len(s.text) && isMark(s.text[i+1]) && s.setter(at):
		l.how, l.from = copula, i+2 // builder.apiKey("...")
	case i == at && (c == '(' || c == '['):
		l.from = i + 1
	}
	return l
}

// setter reports whether the name that ends here is that of a method which is given a
// value, not of one that looks it up.
func (s *scan) setter(end int) bool {
	start := end
	for start > 0 && end-start < longestAside && pattern.Alnum.Has(s.text[start-1]) {
		start--
	}
	if start == 0 || s.text[start-1] != '.' {
		return false
	}
	for _, verb := range [...]string{"get", "find", "load", "read", "fetch", "has", "lookup", "delete", "remove", "resolve"} {
		if bytes.HasPrefix(s.text[start:end], []byte(verb)) {
			return false
		}
	}
	return true
}

// opening returns the length of an opening quotation mark or bracket.
func opening(text []byte) int {
	switch text[0] {
	case 0xc2, 0xe2, 0xe3, 0xef:
	default:
		return 0 // the first byte of none
	}
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
		for space := at; at < len(text) && text[at] <= ' ' && n < 3 && at-space < joint.LongestBorder; {
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
	if !joint.LineEnds(s.text, end) || !l.block && setting(value) {
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

// setting reports whether a value is a name with a value of its own, NAME=value, which
// is looked at there.
func setting(value []byte) bool {
	value = bytes.TrimLeft(value, "+-") // of a patch
	sign := bytes.IndexByte(value, '=')
	if sign < 2 || sign+1 == len(value) || value[sign+1] == '=' {
		return false
	}
	capitals := true
	for _, c := range value[:sign] {
		if !nameSet.Has(c) {
			return false
		}
		capitals = capitals && !ascii.IsLower(c)
	}
	return capitals || secretname.Classify(value[:sign]) != secretname.NamesNothing
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
	if sign < 0 && bytes.IndexByte(aside, ' ') < 0 {
		return -1
	}
	if sign < 0 || sign+1 >= len(aside) || aside[sign+1] != ' ' || !plainAside(aside[:sign]) {
		return -1
	}
	return s.opened(at + sign + 2)
}

// opened returns where a value starts behind blanks, colons and opening quotation marks.
func (s *scan) opened(from int) int {
	blanks := func() {
		for limit := min(len(s.text), from+longestGap/2); from < limit && (isQuoteOrBlank(s.text[from]) || s.text[from] == ':'); {
			from++
		}
	}
	if blanks(); from < len(s.text) {
		if n := opening(s.text[from:]); n > 0 {
			from += n
			blanks()
		}
	}
	return from
}

// further returns where the value of a name may start when it is not the next word, -1 for
// nowhere.
func (s *scan) further(at int, is secretname.Naming) int {
	if next := s.afterWords(at, is); next > 0 {
		return next
	}
	if next := s.afterOne(at); next > 0 {
		return next
	}
	return s.afterColon(at)
}

// afterOne returns where a value starts that a second clause gives: "we changed the API key;
// the new one is ...". -1 means nowhere.
func (s *scan) afterOne(at int) int {
	line := s.text[at:min(len(s.text), at+2*longestAside)]
	i := bytes.Index(line, []byte(" one"))
	if i < 0 || bytes.IndexByte(line[:i], '\n') >= 0 {
		return -1
	}
	rest := line[i+len(" one"):]
	for _, copula := range [...]string{" is now ", " is ", ": "} {
		if bytes.HasPrefix(rest, []byte(copula)) {
			return s.opened(at + i + len(" one") + len(copula))
		}
	}
	return -1
}

// afterNoun returns where a value starts behind a few words of a language whose verbs are
// not known here, -1 for nowhere: it has to look drawn.
func (s *scan) afterNoun(at int) int {
	limit := min(len(s.text), at+longestAside)
	for i := at; i < limit && !asideEnd.Has(s.text[i]); i++ {
		if s.text[i] != ' ' {
			continue
		}
		from, to := s.value(s.opened(i + 1))
		value := s.text[from:to]
		if from > i && from < limit && secretname.Convincing(secretname.NamesPassword, value) && (secretname.Varied(value) || secretname.ChosenWell(value)) && secretvalue.Mixed(value) {
			return from
		}
	}
	return -1
}

// afterWords returns where a value starts behind a few words that say whose it is, and a
// copula: "the password for the test server is now ...". -1 means nowhere.
func (s *scan) afterWords(at int, is secretname.Naming) int {
	limit := min(len(s.text), at+longestAside+longestGap)
	for i := at; i < limit && !asideEnd.Has(s.text[i]); i++ {
		if s.text[i] != ' ' {
			continue
		}
		next := s.copula(i + 1)
		if next == i+1 {
			continue
		}
		from := s.opened(next)
		if from, to := s.value(from); s.believes(link{how: copula}, is, nil, from, to) {
			return from
		}
	}
	return -1
}

// plainAside reports whether words are still those of the sentence of the name.
func plainAside(words []byte) bool {
	for _, c := range words {
		if asideEnd.Has(c) {
			return false
		}
	}
	return true
}

var asideEnd = pattern.NewSet("\n.,;=\"")
