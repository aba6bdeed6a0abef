package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
	"github.com/glovebox-run/glovebox/risk/egress/internal/joint"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

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
	line := i + 1
	if next := joint.LineAfter(s.text, line); next > 0 && !block {
		line = next // an empty line sets the value apart
	}
	return joint.Leading(s.text, start, line, 0), block
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
