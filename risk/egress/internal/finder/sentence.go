package finder

import (
	"bytes"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

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
