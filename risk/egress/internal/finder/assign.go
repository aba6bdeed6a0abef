package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
	"github.com/glovebox-run/glovebox/risk/egress/internal/joint"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// Distances, in bytes, between a name and its value. The name of a vendor may be
// the first of a few words, and a value may be behind brackets and quotes.
const (
	farthestValue = 48
	longestGap    = 12
	longestValue  = 512
	// mostNested is how many names within the value of another one are looked at: a
	// text of nothing but names would be read once for each of them.
	mostNested = 6
)

// eastern is the first byte of Chinese, Japanese and Korean characters in UTF-8: in a
// sentence no password begins with one, the sentence goes on.
const eastern = 0xe3

var (
	nameSet  = pattern.NewSet("0-9A-Za-z_.-")
	valueEnd = pattern.NewSet("\x00- \"'`,;<>(){}[]|\\&")
)

// word looks at the name around a word that names of secrets contain.
func (s *scan) word(at, end int) {
	if end <= s.nameDone {
		return
	}
	start := at
	for start > 0 && at-start < secretvalue.LongestName/2 && nameSet.Has(s.text[start-1]) {
		start--
	}
	for end < len(s.text) && end-at < secretvalue.LongestName/2 && nameSet.Has(s.text[end]) {
		end++
	}
	s.nameDone = end
	// A full stop before the value is the end of a sentence, not of a name.
	for end > at && (s.text[end-1] == '.' || s.text[end-1] == '-') {
		end--
	}
	name := s.text[start:end]
	// "API key" and "access token" are written apart.
	if two := s.twoWords(start, end); two > 0 {
		start -= two
		name = s.text[start:end]
	}
	s.after(start, end, name, secretname.NamesUnknown)
}

// after looks for the value of the name that stands from start to end, and for the answer
// of who asks for it.
func (s *scan) after(start, end int, name []byte, is secretname.Naming) {
	if border := s.cell(start, end); border != 0 && !s.expanded(start) {
		s.column(start, end, is, border)
		return
	}
	found := len(s.hits)
	if is = s.valueOf(start, end, name, is); is == secretname.NamesNothing || len(s.hits) > found {
		return
	}
	if !s.usedAs(start, name, is) {
		s.asked(start, end, name, is)
	}
}

// valueOf looks for the value of the name that stands from start to end, and returns what
// the name says.
func (s *scan) valueOf(start, end int, name []byte, is secretname.Naming) secretname.Naming {
	if s.expanded(start) {
		s.fallback(end, name)
		return is
	}
	if end < len(s.text) && s.text[end] == '<' && bytes.HasPrefix(s.text[end:], []byte("</th")) {
		s.htmlTable(start)
	}
	l := s.link(start, end)
	l.noun = is != secretname.NamesUnknown
	if l.how == below {
		if is == secretname.NamesUnknown {
			is = secretname.Classify(name)
		}
		s.lines(l, is, secretname.Strong(name))
		return is
	}
	if l.how < assigned && start > 0 && s.text[start-1] == '=' {
		return is // the end of a value, not a name
	}
	if s.valueFrom <= start && start < s.valueTo {
		if s.nested++; s.nested > mostNested {
			return is
		}
	} else {
		s.nested = 0
	}
	from, to := l.from, l.from
	if l.how >= assigned || from == len(s.text) || s.text[from] < eastern {
		from, to = s.value(from)
	}
	value := s.text[from:to]
	// Such words are common in prose and seldom followed by a secret.
	if l.how <= copula && is == secretname.NamesUnknown && (len(value) < 8 || !secretvalue.Mixed(value) && !secretname.Drawn(value)) && !bytes.HasSuffix(name, []byte("phrase")) && !bytes.HasSuffix(name, []byte("mnemonic")) {
		if is = secretname.Classify(name); is == secretname.NamesNothing {
			return is
		}
		if l.from = s.further(end, is); l.from < 0 {
			return is
		}
		l.how = aside
		from, to = s.value(l.from)
		if value = s.text[from:to]; len(value) < 8 || !secretvalue.Mixed(value) && !secretvalue.Random(value) {
			return is
		}
	}
	if is == secretname.NamesUnknown {
		is = secretname.Classify(name)
	}
	query := start > 0 && (s.text[start-1] == '?' || s.text[start-1] == '&')
	if is == secretname.NamesToken && (query || l.how == assigned) && secretvalue.IsDigest(value) && (bytes.EqualFold(name, []byte("token")) || bytes.EqualFold(name, []byte("pass")) || string(name) == "--token") {
		is = secretname.NamesSecret // drawn by whoever gave it out, so it may look like a digest
	}
	if query && is == secretname.NamesNothing && (opens(name) || grants(name)) {
		is = secretname.NamesToken
	}
	if is == secretname.NamesToken && l.how == assigned && l.tight && secretvalue.IsUUID(value) && secretname.Strong(name) {
		is = secretname.NamesSecret // of a variable of the environment
	}
	if is == secretname.NamesToken && l.how == assigned && bytes.EqualFold(name, []byte("pass")) && s.userBefore(start) {
		is = secretname.NamesPassword
	}
	if is == secretname.NamesNothing || s.resource(start) {
		return is
	}
	if l.how == copula || l.how == loose {
		if len(value) < 8 || !secretvalue.Mixed(value) {
			noun := l.noun
			next := s.further(end, is)
			if next < 0 && noun && is == secretname.NamesPassword {
				next = s.afterNoun(end)
			}
			if next > 0 {
				l = link{from: next, how: aside, noun: noun}
				from, to = s.value(next)
				value = s.text[from:to]
			}
		}
	}
	if is == secretname.NamesHeader || is == secretname.NamesCookie {
		if l.how == assigned {
			s.header(is, l.from)
		}
		return is
	}
	if query && grants(name) && len(value) >= 16 && secretvalue.Mixed(value) && !secretvalue.StandIn(value) {
		s.found("signed-url", from, to)
		return is
	}
	if is == secretname.NamesPhrase {
		to = s.phraseEnd(from)
		if secretname.Convincing(is, s.text[from:to]) {
			s.found(ruleOf(is, false), from, to)
		}
		return is
	}
	if l.how == assigned && is == secretname.NamesPassword {
		to = s.restOfLine(from, to)
	}
	if s.believes(l, is, name, from, to) {
		s.broken(ruleOf(is, query), from, to, is)
	}
	return is
}

// twoWords returns by how much the name is longer with the word before it, when
// that is one blank away and the name is a noun that needs one.
func (s *scan) twoWords(start, end int) int {
	noun := s.text[start:end]
	if !bytes.EqualFold(noun, []byte("key")) && !bytes.EqualFold(noun, []byte("token")) && !bytes.EqualFold(noun, []byte("phrase")) {
		return 0
	}
	i := start - 1
	if i < 1 || s.text[i] != ' ' {
		return 0
	}
	first := i
	for first > 0 && i-first < 16 && nameSet.Has(s.text[first-1]) {
		first--
	}
	if first == i || secretname.Classify(s.text[first:end]) != secretname.NamesSecret && !bytes.EqualFold(noun, []byte("phrase")) {
		return 0
	}
	return start - first
}

// phraseEnd returns the end of the words that follow.
func (s *scan) phraseEnd(from int) int {
	end := from
	for limit := min(len(s.text), from+longestValue); end < limit; end++ {
		if c := s.text[end]; !ascii.IsLower(c) && c != ' ' {
			break
		}
	}
	return end
}

// broken adds a value, with the lines on which it goes on.
func (s *scan) broken(id string, from, to int, is secretname.Naming) {
	rule, ok := s.engine.ids[id]
	if !ok || from >= to {
		return
	}
	h := Hit{Rule: rule, Start: from, End: to}
	if is != secretname.NamesPassword && to-from >= 12 && from >= s.brokenDone && secretvalue.Random(s.text[from:to]) {
		start, end, width := from, to, to-from
		for parts := 1; parts < mostParts; parts++ {
			next := joint.Gap(s.text, start, end)
			if next < 0 || bytes.IndexByte(s.text[end:next], '\n') < 0 {
				break
			}
			start, end = next, next
			for end < len(s.text) && decode.TokenSet.Has(s.text[end]) && s.text[end] != ':' {
				end++
			}
			part := s.text[start:end]
			if !joint.LineEnds(s.text, end) || len(part) > max(width, 24) || !(secretvalue.Random(part) && len(part) >= strongPart || parts > 1 && !secretvalue.Written(part)) || bytes.IndexByte(bytes.TrimRight(part, "="), '=') >= 0 {
				break
			}
			if s.text[h.End-1] == '=' && s.text[h.End-2] != '=' {
				h.End-- // by which quoted-printable breaks a line
			}
			h.Holes = append(h.Holes, [2]int{h.End, start})
			h.End = end
			if parts > 1 && len(part) < width {
				break
			}
			width = len(part)
		}
		s.brokenDone = h.End
	}
	s.hits = append(s.hits, h)
}
