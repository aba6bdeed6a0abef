package poison

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Confidence is how sure a finding is. The default policy acts on Medium.
type Confidence uint8

const (
	Low    Confidence = iota // worth a look when something else is odd
	Medium                   // act: do not offer the tool before a person has read it
	High                     // refuse
)

var confidenceNames = [...]string{"low", "medium", "high"}

func (c Confidence) String() string { return confidenceNames[min(int(c), len(confidenceNames)-1)] }

// MarshalText writes "low", "medium" or "high".
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (c *Confidence) UnmarshalText(text []byte) error {
	for i, name := range confidenceNames {
		if name == string(text) {
			*c = Confidence(i)
			return nil
		}
	}
	return fmt.Errorf("confidence %q: want low, medium or high", text)
}

// Finding is one place of a document that reads like an attack.
type Finding struct {
	Rule       string     `json:"rule"` // stable id
	Class      Class      `json:"class"`
	Confidence Confidence `json:"confidence"`
	Pointer    string     `json:"pointer"` // JSON pointer of the string; of the member, if its name is meant
	Place      string     `json:"place"`
	Start      int        `json:"start"` // byte offsets in the decoded string
	End        int        `json:"end"`
	Text       string     `json:"text"`             // what stands there, every invisible character spelled out
	Hidden     string     `json:"hidden,omitempty"` // what it says once revealed or decoded
	Why        string     `json:"why"`
	Evidence   []string   `json:"evidence,omitempty"` // ids of the language rules that added up
	Points     int        `json:"points,omitempty"`
}

// Report is what a scan found, in document order.
type Report struct {
	Findings []Finding `json:"findings"`
}

// Flagged reports whether the default policy acts on the report.
func (r Report) Flagged() bool { return r.AtLeast(Medium) }

// AtLeast reports whether a finding is at least as sure as c.
func (r Report) AtLeast(c Confidence) bool {
	for _, f := range r.Findings {
		if f.Confidence >= c {
			return true
		}
	}
	return false
}

// Scan reads one tool, prompt, resource or any other JSON document and judges
// every string in it. It fails only if raw is not JSON. names may be nil.
func Scan(raw []byte, names *Names) (Report, error) {
	s := newScanner(names)
	defer s.release()
	err := visit(raw, func(t text, _ func() jsontext.Pointer) { s.texts = append(s.texts, t) })
	if err != nil {
		return Report{}, err
	}
	for _, t := range s.texts {
		s.text(t)
	}
	if len(s.found) > 0 {
		if err := s.place(raw); err != nil {
			return Report{}, err
		}
	}
	return Report{s.report}, nil
}

// ScanText judges one text that is not part of a document, such as the
// instructions of a server. names may be nil.
func ScanText(value string, names *Names) Report {
	s := newScanner(names)
	defer s.release()
	s.text(text{value: value, place: placeDescription})
	return Report{s.report}
}

// scanner is the state of one scan.
type scanner struct {
	lang    *language
	lexer   lexer
	signals []signal
	texts   []text
	own     nameSet // names of the document itself; nil until one is asked for
	names   *Names
	report  []Finding
	found   []int // the number of the text of each finding
}

// scanners keeps the slices of scanners that are done; without it a third of the
// time of a scan goes into making them.
var scanners = sync.Pool{New: func() any {
	l := theLanguage()
	return &scanner{lang: l, lexer: lexer{lang: l}}
}}

func newScanner(names *Names) *scanner {
	s := scanners.Get().(*scanner)
	if names == nil {
		names = &Names{}
	}
	s.names, s.report = names, []Finding{}
	return s
}

// release gives the slices back, and nothing of what was scanned.
func (s *scanner) release() {
	clear(s.texts)
	*s = scanner{lang: s.lang, lexer: lexer{lang: s.lang, tokens: s.lexer.tokens[:0], word: s.lexer.word[:0]}, signals: s.signals[:0], texts: s.texts[:0]}
	if cap(s.lexer.tokens) <= maxKept && cap(s.texts) <= maxKept && cap(s.signals) <= maxKept {
		scanners.Put(s)
	}
}

// maxKept is how many elements a slice may have that is kept for later: enough
// for any honest tool, so that a hostile one does not stay in memory.
const maxKept = 1 << 14

// place fills in the pointers: few documents have findings, so pointers are made
// on a second walk instead of for every string on the first.
func (s *scanner) place(raw []byte) error {
	next := 0
	return visit(raw, func(t text, pointer func() jsontext.Pointer) {
		for ; next < len(s.found) && s.found[next] == t.number; next++ {
			s.report[next].Pointer = string(pointer())
		}
	})
}

// A plain text of fewer bytes is too short for any rule: the shortest that one
// of them acts on are "<system>" and "[system]".
const minText = 8

func (s *scanner) text(t text) {
	isPlain := plain(t.value)
	if isPlain && len(t.value) < minText {
		return
	}
	v, tricks := view{text: t.value}, []trick(nil)
	if !isPlain {
		v, tricks = reveal(t.value)
	}
	extra := 0
	if t.place == placeValue || t.place == placeProperty || t.place == placeTitle {
		extra = 40 // an order where only data belongs
	}
	for _, tr := range tricks {
		s.trick(t, tr)
		if tr.rule == mixedScript || tr.rule == zeroWidthInWord || tr.rule == terminalEscape {
			extra = 50
		}
	}
	s.language(t, v, extra)
	for _, p := range payloads(v.text) {
		s.payload(t, v, p)
	}
	for _, m := range Reference(t.value, s.names.others) {
		s.add(t, Finding{Rule: m.Pattern, Class: ReferencePattern, Confidence: Low, Start: m.Offset, End: m.Offset + len(m.Text), Why: "one of the nine published patterns"})
	}
}

// maxRepeats is how often one rule is reported for one text. A text can hold a
// million invisible characters; the report does not have to.
const maxRepeats = 8

func (s *scanner) add(t text, f Finding) {
	repeats := 0
	for i := len(s.report) - 1; i >= 0 && s.found[i] == t.number; i-- {
		if s.report[i].Rule == f.Rule {
			repeats++
		}
	}
	if repeats >= maxRepeats {
		return
	}
	f.Place = t.place.String()
	f.Text = Visible(t.value[f.Start:f.End])
	f.Hidden = Visible(f.Hidden)
	s.report = append(s.report, f)
	s.found = append(s.found, t.number)
}

// language runs the rules over a view and reports its worst passage.
func (s *scanner) language(t text, v view, extra int) {
	worst, tokens := s.judge(v.text, extra, t.place != placeValue)
	if worst.points < pointsLow {
		return
	}
	f := Finding{
		Rule: languageRule, Class: worst.class, Points: worst.points,
		Start: v.original(int(tokens[worst.first].start)), End: v.original(int(tokens[worst.last].end)),
	}
	f.Confidence, f.Evidence, f.Why = s.lang.explain(worst)
	s.add(t, f)
}

// judge reads a view and returns its worst passage. Most texts hold no deed, and
// a manner of speaking alone is nothing, so it is looked for only then.
func (s *scanner) judge(view string, extra int, prose bool) (verdict, []token) {
	l := s.lang
	tokens := s.lexer.lex(view)
	l.resolve(view, tokens, s)
	s.signals = l.holding(tokens, l.signals(&l.deeds, tokens, s.signals[:0]), 0)
	if prose && l.onlyPurpose(s.signals) {
		return verdict{}, tokens
	}
	if len(s.signals) == 0 {
		return verdict{}, tokens
	}
	deeds := len(s.signals)
	s.signals = l.holding(tokens, l.signals(&l.manners, tokens, s.signals), deeds)
	slices.SortStableFunc(s.signals, func(a, b signal) int { return int(a.first - b.first) })
	if s.lexer.leet >= 3 {
		extra = 50
	}
	return l.judge(s.signals, extra), tokens
}

// onlyPurpose reports whether all deeds stand in the first verb of a text. It
// says what the tool is for: "Sends the report to https://...".
func (l *language) onlyPurpose(deeds []signal) bool {
	for _, s := range deeds {
		if g := l.rules[s.rule].group; s.first > 0 || g != sensitive && g != exfil && g != destroy && g != command {
			return false
		}
	}
	return true
}

// holding keeps the signals from the given one on that mean what they say.
func (l *language) holding(tokens []token, all []signal, from int) []signal {
	kept := all[:from]
	for _, sig := range all[from:] {
		if l.holds(tokens, sig) {
			kept = append(kept, sig)
		}
	}
	return kept
}

// explain puts a verdict into words: what the deeds are, what dresses them up.
func (l *language) explain(v verdict) (c Confidence, ids []string, why string) {
	var parts []string
	for i, r := range l.rules {
		if v.rules.has(i) {
			ids = append(ids, r.id)
			parts = append(parts, r.why)
		}
	}
	switch {
	case v.points >= pointsHigh:
		c = High
	case v.points >= pointsMedium:
		c = Medium
	}
	return c, ids, "the text " + strings.Join(parts, "; ")
}

// payload judges a text that was encoded or out of sight. Encoding as such is
// innocent, hiding an order in it is not.
func (s *scanner) payload(t text, v view, p payload) {
	inner, _ := reveal(p.text)
	worst, _ := s.judge(inner.text, 50, false)
	if worst.points < pointsMedium {
		return
	}
	f := Finding{Rule: p.rule, Start: v.original(p.start), End: v.original(p.end), Hidden: p.text, Points: worst.points}
	_, f.Evidence, f.Why = s.lang.explain(worst)
	for _, r := range payloadRules {
		if r.id == p.rule {
			f.Class, f.Why = r.class, r.why+"; "+f.Why
		}
	}
	f.Confidence = Medium
	if worst.points >= pointsHigh {
		f.Confidence = High
	}
	s.add(t, f)
}
