package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/automaton"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// Limits of a question and its answer, in bytes, lines and words: somebody asks for a
// password, and one of the next messages is little more than that.
const (
	longestQuestion = 96
	longestAnswer   = 240
	linesToAnswer   = 4
	wordsToAnswer   = 8
)

// requests are words of a line that asks for something without a question mark.
var requests = automaton.Build([]string{"send", "share", "give", "tell", "need", "what", "paste", "resend", "forgot", "remind", "lost", "anyone", "please", "pls", "bitte", "schick", "brauche", "envoie", "besoin", "necesito", "manda", "pasa", "preciso", "serve", "stuur", "potrzeb", "wy\u015blij", "\u0441\u043a\u0438\u043d\u044c", "\u043d\u0443\u0436\u0435\u043d", "\u53d1", "\u544a\u8bc9", "\u6559\u3048", "\u9001\u3063\u3066", "\uc54c\ub824", "\ubcf4\ub0b4"}, true)

// asked looks at a name without a value: if its line asks for the secret, the value is
// in one of the next lines.
func (s *scan) asked(start, end int, name []byte, is secretname.Naming) {
	if end <= s.questionDone && s.questionSure {
		return
	}
	rest := s.text[end:min(len(s.text), end+longestQuestion)]
	stop := bytes.IndexByte(rest, '\n')
	last := stop < 0 && end+len(rest) == len(s.text)
	if last {
		stop = len(rest)
	}
	if stop < 0 || last && len(s.text) > longestMessage {
		return
	}
	if is == secretname.NamesUnknown {
		is = secretname.Classify(name)
	}
	if is == secretname.NamesNothing || is == secretname.NamesHeader || is == secretname.NamesCookie {
		return
	}
	// The line of "auth token" is read for the first word and for both.
	s.questionSure = is != secretname.NamesToken || end <= s.questionDone
	s.questionDone = end + stop
	before := s.text[max(0, start-longestQuestion):start]
	if mark := bytes.IndexByte(rest[:stop], '?'); mark >= 0 && mark+1 < stop {
		// Who asks answers: "the API key? it's ..."
		if from, to := s.answer(end+mark+1, end+stop, is); to > from && asks(before, rest[:mark+1]) {
			s.found(ruleOf(is, false), from, to)
			return
		}
	}
	if last {
		if asks(before, rest) {
			s.question = is
		}
		return
	}
	at := end + stop + 1
	limit := min(len(s.text), at+longestAnswer)
	for lines := 0; lines < linesToAnswer && at < limit; lines++ {
		line := limit
		if i := bytes.IndexByte(s.text[at:limit], '\n'); i >= 0 {
			line = at + i
		}
		if from, to := s.answer(at, line, is); to > from {
			// Few lines are followed by such a word, so it is asked last.
			if asks(before, rest[:stop]) {
				s.found(ruleOf(is, false), from, to)
			}
			return
		}
		at = line + 1
	}
}

// asks reports whether the line around a name asks for what it names.
func asks(before, after []byte) bool {
	if bytes.IndexByte(after, '|') >= 0 || bytes.IndexByte(after, '\t') >= 0 {
		return false // the heading of a table
	}
	if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	for _, w := range [...]string{"when ", "where ", "why ", "who reset", "who changed", "who set"} {
		if bytes.Contains(before, []byte(w)) {
			return false // nobody answers that with the secret
		}
	}
	asked := bytes.IndexByte(after, '?') >= 0 || bytes.Contains(after, []byte("\uff1f"))
	for _, part := range [...][]byte{before, after} {
		if !asked {
			automaton.Each(requests, part, func(int, int) { asked = true })
		}
	}
	return asked
}

// answer returns where in a line the value is that somebody gives: one of its first
// words, and the last or alone if it looks like a digest.
func (s *scan) answer(at, end int, is secretname.Naming) (from, to int) {
	if at < end && (s.text[at] == '{' || s.text[at] == '<') {
		if at = speaker(s.text, at, end); at < 0 {
			return 0, 0 // data or markup, no message
		}
	}
	for words := 0; words < wordsToAnswer && at < end; words++ {
		for at < end && (isQuoteOrBlank(s.text[at]) || s.text[at] == '(' || s.text[at] == '*') {
			at++
		}
		from, to = at, at
		for to < end && s.text[to] != ' ' && s.text[to] != '\t' && s.text[to] != '\r' && !isMark(s.text[to]) && !s.foreign(to) {
			to++
		}
		if to == at { // a letter that no value begins with
			at++
			continue
		}
		at = to
		for to > from && bytes.IndexByte([]byte(".,;:?)*"), s.text[to-1]) >= 0 {
			to--
		}
		value := s.text[from:to]
		if to < end && s.text[to] == ':' || len(value) < 8 || secretvalue.IsAddress(value) || bytes.HasPrefix(value, []byte("20")) && value[4] == '-' || !ascii.IsLower(value[0]) && !ascii.IsUpper(value[0]) && (value[0] < '0' || '9' < value[0]) && !secretvalue.Mixed(value) {
			continue // who speaks, or a short word
		}
		last := len(bytes.TrimSpace(s.text[at:end])) == 0
		switch {
		case s.believes(link{how: copula}, is, nil, from, to):
			return from, to
		case last && is != secretname.NamesToken && (secretvalue.IsDigest(value) || secretvalue.IsUUID(value)):
			return from, to
		}
	}
	return 0, 0
}

// speaker returns where a message begins behind <name>, as in a chat of IRC, -1 if none does.
func speaker(text []byte, at, end int) int {
	const longest = 24
	stop := bytes.IndexByte(text[at:min(end, at+longest)], '>')
	if text[at] != '<' || stop < 2 || at+stop+1 >= end || text[at+stop+1] != ' ' || text[at+1] == '/' {
		return -1
	}
	return at + stop + 2
}

func isMark(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// question is what was asked in one of the last strings of a JSON text: the messages of a
// chat are members of objects.
type question struct {
	is      secretname.Naming
	strings int // that were read since
}

// longestMessage bounds a message that asks or answers, in bytes, and mostMessages the
// strings from a question to its answer: who speaks and when stand between.
const (
	longestMessage = 240
	mostMessages   = 6
)

// talk looks for the answer to a question of a string before, and notes one that is asked.
func (w *Sweep) talk(q *question, n *name, message []byte, found []Hit) []Hit {
	if q.is != secretname.NamesNothing {
		if q.strings++; q.strings > mostMessages {
			q.is = secretname.NamesNothing
		} else if len(found) == 0 && n.is == secretname.NamesNothing && len(message) <= longestMessage {
			s := &w.scan
			s.reset(w.engine, message)
			if from, to := s.answer(0, len(message), q.is); to > from {
				s.found(ruleOf(q.is, false), from, to)
				q.is = secretname.NamesNothing
				return s.hits
			}
		}
	}
	if len(found) == 0 && w.scan.question != secretname.NamesNothing && len(message) <= longestMessage {
		*q = question{is: w.scan.question}
	}
	return found
}
