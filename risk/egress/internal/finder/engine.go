package finder

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/egress/internal/automaton"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/present"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
	"github.com/glovebox-run/glovebox/risk/egress/internal/shadow"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// Engine finds what the rules describe. It is immutable and safe for concurrent
// use. Making one takes about a millisecond, so make it once.
type Engine struct {
	Rules []compiled
	find  index
	// foreign finds the names that have letters beyond ASCII. Few texts have any, and
	// tables for ASCII alone are a quarter of the size.
	foreign index
	ids     map[string]int
}

// index finds strings, each with what to do where it occurs.
type index struct {
	*automaton.Automaton
	uses [][]use // per string
}

// indexing collects strings for an index.
type indexing struct {
	words []string
	known map[string]int
	uses  [][]use
}

func (x *indexing) add(word string, u use) {
	word = foldASCII(word)
	i, ok := x.known[word]
	if !ok {
		if x.known == nil {
			x.known = map[string]int{}
		}
		i = len(x.words)
		x.known[word] = i
		x.words = append(x.words, word)
		x.uses = append(x.uses, nil)
	}
	x.uses[i] = append(x.uses[i], u)
}

func (x *indexing) build() index { return index{automaton.Build(x.words, true), x.uses} }

type compiled struct {
	rules.Rule
	secret  bool             // of the class of credentials
	pattern *pattern.Pattern // nil for what only a detector finds
	regexp  *regexp.Regexp   // of an imported rule
}

// use says what to do where a string of the automaton occurs.
type use struct {
	role     role
	rule     int                   // of roleToken and roleWord
	spelling int                   // of roleToken
	guards   []pattern.Guard       // of roleToken
	detect   func(*scan, int, int) // of roleDetect
	phrase   *phrase               // of rolePhrase
}

type role uint8

const (
	roleToken  role = iota // part of a token
	roleWord               // the name of a vendor: its value may follow
	roleName               // part of the name of a secret: the value may follow
	rolePhrase             // such a name in another language
	roleRegexp             // a keyword of an imported rule
	roleDetect             // something that a detector looks at
)

// NewEngine makes an engine for the rules.
func NewEngine(list []rules.Rule) (*Engine, error) {
	e := &Engine{ids: map[string]int{}}
	var find, foreign indexing
	for i, r := range list {
		if _, twice := e.ids[r.ID]; twice {
			return nil, fmt.Errorf("rule %q: a second rule of this id", r.ID)
		}
		e.ids[r.ID] = i
		c := compiled{Rule: r}
		if c.Kind == "" {
			c.Kind = r.ID
		}
		if c.Class == "" {
			c.Class = rules.Credential
		}
		c.secret = c.Class == rules.Credential
		if r.Regexp != "" {
			re, err := regexp.Compile(r.Regexp)
			if err != nil {
				return nil, fmt.Errorf("rule %q: %w", r.ID, err)
			}
			c.regexp = re
			for _, w := range r.Words {
				find.add(w, use{role: roleRegexp, rule: i})
			}
		}
		if r.Pattern != "" {
			p, err := pattern.Compile(r.Pattern)
			if err != nil {
				return nil, fmt.Errorf("rule %q: %w", r.ID, err)
			}
			c.pattern = p
			for _, w := range r.Words {
				find.add(w, use{role: roleWord, rule: i})
			}
			if len(r.Words) == 0 {
				for spelling, literal := range p.Literals() {
					if literal == "" {
						return nil, fmt.Errorf("rule %q: without words the pattern needs a literal to be found by", r.ID)
					}
					find.add(literal, use{role: roleToken, rule: i, spelling: spelling, guards: p.Guards(spelling)})
				}
			}
		}
		e.Rules = append(e.Rules, c)
	}
	for _, w := range nameWords {
		find.add(w, use{role: roleName})
	}
	for i := range phrases {
		for _, w := range phrases[i].spellings() {
			x := &find
			if present.In([]byte(w)).Has(present.Beyond) {
				x = &foreign
			}
			x.add(w, use{role: rolePhrase, phrase: &phrases[i]})
		}
	}
	for _, d := range detectors {
		for _, w := range d.words {
			find.add(w, use{role: roleDetect, detect: d.detect})
		}
	}
	e.find, e.foreign = find.build(), foreign.build()
	return e, nil
}

// foldASCII is what the automaton does to its strings and to the text.
func foldASCII(word string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, word)
}

// Hit is one find in a text.
type Hit struct {
	Rule       int
	Start, End int
	Pointer    string // the place in a JSON text, empty in any other
	// Holes are what stands between the parts of a broken secret and stays: line
	// ends, quotation marks, borders. In order.
	Holes [][2]int
}

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
	questionSure          bool // the last question was read for more than a token
}

// done are the places up to which detectors have read ahead, so that no text
// makes them read the same bytes from many places.
type done struct{ nameDone, cookieDone, keyDone, curlDone, commandDone, manifestDone, tableDone, valueFrom, valueTo, nested, brokenDone, htmlDone, statementDone, loginDone, questionDone, codesDone, echoDone int }

func (s *scan) reset(e *Engine, text []byte) {
	s.engine, s.text, s.hits, s.done = e, text, s.hits[:0], done{}
	s.tokensOnly = false
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

// trim cuts hits, in order, back to the format of the value that they begin with. A
// name says where a value begins, and only a guess says where it ends; quotes are
// no guess.
func (e *Engine) trim(hits []Hit, text []byte) {
	format := func(h *Hit) bool { return e.Rules[h.Rule].pattern != nil && len(h.Holes) == 0 }
	cut := func(h, f *Hit) {
		if h.Start < f.End && f.End < h.End && !pattern.Alnum.Has(text[f.End]) && bytes.IndexByte([]byte(".-_~+=%"), text[f.End]) < 0 {
			h.Rule, h.End = f.Rule, f.End
		}
	}
	last := -1 // the format that began last
	for i := range hits {
		h := &hits[i]
		switch {
		case format(h):
			last = i
			continue
		case len(h.Holes) > 0 || h.Start == 0 || isQuoteOrBlank(text[h.Start-1]) && text[h.Start-1] != ' ':
			continue
		case last >= 0:
			cut(h, &hits[last])
		}
		for j := i + 1; j < min(len(hits), i+1+mostAtOnce) && hits[j].Start == h.Start; j++ {
			if format(&hits[j]) {
				cut(h, &hits[j])
			}
		}
	}
}

// mostAtOnce is how many finds may begin at one place and be compared.
const mostAtOnce = 8

// merge sorts hits and joins those of credentials that overlap; the longest gives
// its rule. What a credential overlaps and is none itself is dropped: the user
// part of a URI may look like a mail address together with the host.
func (e *Engine) merge(hits []Hit, text []byte) []Hit {
	if len(hits) == 0 {
		return hits
	}
	credential := func(h Hit) bool { return e.Rules[h.Rule].secret }
	slices.SortFunc(hits, func(a, b Hit) int {
		switch {
		case credential(a) != credential(b):
			if credential(a) {
				return -1
			}
			return 1
		case a.Start != b.Start:
			return a.Start - b.Start
		case a.End != b.End:
			return b.End - a.End
		}
		return a.Rule - b.Rule
	})
	e.trim(hits, text)
	out := hits[:0]
	longest, secrets := 0, 0
	var parts [][2]int // of the hits that the last one was joined from, if it has holes
	for _, h := range hits {
		if !credential(h) {
			if !overlapsAny(out[:secrets], h) && (len(out) == secrets || out[len(out)-1].End <= h.Start) {
				out = append(out, h)
			}
			continue
		}
		if n := len(out); n > 0 && h.Start < out[n-1].End {
			if h.End-h.Start > longest {
				out[n-1].Rule, longest = h.Rule, h.End-h.Start
			}
			last := &out[n-1]
			if len(last.Holes)+len(h.Holes)+len(parts) > 0 {
				if len(parts) == 0 {
					parts = last.parts(parts)
				}
				parts = h.parts(parts)
			}
			last.End = max(last.End, h.End)
			continue
		}
		parts = closeHoles(out, parts)
		out, longest = append(out, h), h.End-h.Start
		secrets = len(out)
	}
	closeHoles(out[:secrets], parts)
	slices.SortFunc(out, func(a, b Hit) int { return a.Start - b.Start })
	return out
}

// Shift moves a hit to where the text it was found in begins.
func (h *Hit) Shift(by int) {
	h.Start += by
	h.End += by
	for i := range h.Holes {
		h.Holes[i][0] += by
		h.Holes[i][1] += by
	}
}

// parts appends the places of the secret's bytes.
func (h *Hit) parts(list [][2]int) [][2]int {
	at := h.Start
	for _, hole := range h.Holes {
		list = append(list, [2]int{at, hole[0]})
		at = hole[1]
	}
	return append(list, [2]int{at, h.End})
}

// closeHoles makes the holes of the last hit those that none of the parts of what
// was joined to it fills, and empties the list of parts.
func closeHoles(hits []Hit, parts [][2]int) [][2]int {
	if len(parts) == 0 {
		return parts
	}
	slices.SortFunc(parts, func(a, b [2]int) int { return a[0] - b[0] })
	h := &hits[len(hits)-1]
	h.Holes = nil
	at := h.Start
	for _, p := range parts {
		if p[0] > at {
			h.Holes = append(h.Holes, [2]int{at, p[0]})
		}
		at = max(at, p[1])
	}
	return parts[:0]
}

// overlapsAny reports whether h overlaps one of the sorted hits.
func overlapsAny(sorted []Hit, h Hit) bool {
	i, _ := slices.BinarySearchFunc(sorted, h.Start, func(x Hit, start int) int { return x.End - 1 - start })
	return i < len(sorted) && sorted[i].Start < h.End
}

// from is a hit in a shadow at its place in the original.
func (h Hit) from(d *shadow.Shadow) Hit {
	h.Start, h.End = d.Origin(h.Start), d.Origin(h.End)
	for i, hole := range h.Holes {
		h.Holes[i] = [2]int{d.Origin(hole[0]), d.Origin(hole[1])}
	}
	return h
}

// Value returns the secret without its holes.
func (h *Hit) Value(text []byte) []byte {
	if len(h.Holes) == 0 {
		return text[h.Start:h.End]
	}
	var value []byte
	at := h.Start
	for _, hole := range h.Holes {
		value = append(value, text[at:hole[0]]...)
		at = hole[1]
	}
	return append(value, text[at:h.End]...)
}
