package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/automaton"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/present"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// scan is one pass over one text. It may be used again after reset.
type scan struct {
	engine *Engine
	text   []byte
	runs   pattern.Runs
	hits   []Hit

	tokensOnly bool // formats that need no context, in a text made of pieces

	done
	importedDone map[int]int // by rule

	// Cells of a line with names and of one below, for use again.
	heading, row          [][2]int
	headingAt, headingEnd int
	tableAt               int // the line of names of the last table, -1 for none
	headingBorder         byte
	questionSure          bool              // the last question was read for more than a token
	question              secretname.Naming // what the last line asks for
}

// done are the places up to which detectors have read ahead, so that no text
// makes them read the same bytes from many places.
type done struct{ nameDone, cookieDone, keyDone, curlDone, commandDone, manifestDone, tableDone, valueFrom, valueTo, nested, brokenDone, htmlDone, statementDone, loginDone, questionDone, codesDone, echoDone int }

func (s *scan) reset(e *Engine, text []byte) {
	s.engine, s.text, s.hits, s.done = e, text, s.hits[:0], done{}
	s.tokensOnly, s.question = false, secretname.NamesNothing
	s.headingBorder, s.tableAt = 0, -1
	s.runs.Reset()
	if len(s.importedDone) > 0 {
		clear(s.importedDone)
	}
}

// run finds what there is in the text as it stands, which has the given kinds of bytes.
func (s *scan) run(has present.Set) {
	s.through(&s.engine.find)
	if !s.tokensOnly && has.Has(present.Beyond) {
		// Tables and questions are read from the start again.
		table, done := s.tableAt, s.tableDone
		s.tableAt, s.tableDone, s.headingBorder, s.questionDone = -1, 0, 0, 0
		s.through(&s.engine.foreign)
		if s.tableDone < done {
			s.tableAt, s.tableDone = table, done
		}
	}
}

func (s *scan) through(x *index) {
	automaton.Each(x.Automaton, s.text, func(word, end int) {
		for ok := true; ok; word, ok = x.Shorter(word) {
			start := end - x.Len(word)
			for i := range x.uses[word] {
				u := &x.uses[word][i]
				if u.role == roleToken {
					s.token(u, start)
				} else if !s.tokensOnly {
					s.context(u, start, end)
				}
			}
		}
	})
}

// context looks at a string that says something about what follows.
func (s *scan) context(u *use, start, end int) {
	switch u.role {
	case roleWord:
		s.vendor(u.rule, start, end)
	case roleRegexp:
		s.imported(u.rule, start, end)
	case roleName:
		s.word(start, end)
	case rolePhrase:
		s.named(u.phrase, start, end)
	case roleDetect:
		u.detect(s, start, end)
	}
}

// each calls found for every use of the strings that occur in a text.
func (e *Engine) each(text []byte, found func(u *use, start, end int)) {
	e.find.each(text, found)
	if present.In(text).Has(present.Beyond) {
		e.foreign.each(text, found)
	}
}

func (x *index) each(text []byte, found func(u *use, start, end int)) {
	automaton.Each(x.Automaton, text, func(word, end int) {
		for ok := true; ok; word, ok = x.Shorter(word) {
			for i := range x.uses[word] {
				found(&x.uses[word][i], end-x.Len(word), end)
			}
		}
	})
}

func (s *scan) token(u *use, at int) {
	for i := range u.guards {
		if !u.guards[i].Passes(s.text, at) {
			return
		}
	}
	r := &s.engine.Rules[u.rule]
	start, end, ok := r.pattern.Around(s.text, u.spelling, at, &s.runs)
	if !ok {
		return
	}
	if i := escapeIn(s.text[start:end]); i > 0 {
		end = start + i
	}
	for end > start && (s.text[end-1] == '\\' || s.text[end-1] == '.') {
		end-- // of a line that goes on, of a sentence
	}
	if secretvalue.Plausible(&r.Rule, s.text[start:end]) {
		s.add(u.rule, start, end)
	}
}

// escapeIn returns where the escape of a line end or quotation mark begins, which
// ends a token even of a format with backslashes; 0 for nowhere.
func escapeIn(value []byte) int {
	for i := bytes.IndexByte(value, '\\'); i >= 0 && i+1 < len(value); {
		switch value[i+1] {
		case 'n', 'r', 't', '"', '\'', '\\':
			return i
		}
		next := bytes.IndexByte(value[i+1:], '\\')
		if next < 0 {
			return 0
		}
		i += 1 + next
	}
	return 0
}

func (s *scan) add(rule, start, end int) {
	s.hits = append(s.hits, Hit{Rule: rule, Start: start, End: end})
}

// found adds a hit of a detector.
func (s *scan) found(id string, start, end int) {
	if rule, ok := s.engine.ids[id]; ok && start < end {
		s.add(rule, start, end)
	}
}
