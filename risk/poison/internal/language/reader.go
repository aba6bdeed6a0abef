package language

import (
	"slices"
	"strings"
)

// Owner says whose a name is that a text speaks of.
type Owner uint8

const (
	Unknown Owner = iota // of nobody who was named: an intrusion if it is spoken of as a tool
	Own                  // of the same server, or of the definition itself
	Foreign              // of another server that the same model can call
)

// Place says where a text stands.
type Place struct {
	Extra int  // points for standing where no order belongs
	Prose bool // the text may open with what the tool is for
	Owner func(name string) Owner

	// Foreign says that Owner knows tools of other servers. A plain word in
	// quotation marks is asked about only then.
	Foreign bool
}

// Verdict is the worst passage of a text. The zero value is nothing at all.
type Verdict struct {
	Points     int
	Class      string // of the weightiest deed
	Start, End int    // in the text
	rules      ruleSet
}

// Reader judges texts. It keeps its slices from text to text and is for one
// goroutine; make it with [NewReader].
type Reader struct {
	lexer   lexer
	tokens  []token
	signals []signal
}

// Hits yields the id of each rule that spoke in the last text that was judged,
// and the offset where.
func (r *Reader) Hits(yield func(id string, at int) bool) {
	for _, s := range r.signals {
		if !yield(rules[s.rule].id, int(r.tokens[s.first].start)) {
			return
		}
	}
}

// NewReader makes a reader. The first one compiles the tables.
func NewReader() *Reader { return &Reader{lexer: lexer{lang: theGrammar()}} }

// Size is how many elements the slices of the reader hold.
func (r *Reader) Size() int { return max(cap(r.lexer.tokens), cap(r.signals)) }

// Points for a text whose words are words only when digits are read as letters.
const (
	leetPoints = 50
	leetWords  = 3 // fewer are names such as s3 and k8s
)

// Judge returns the worst passage of a text. Most texts hold no deed, and a
// manner of speaking alone is nothing, so it is looked for only then.
func (r *Reader) Judge(text string, p Place) Verdict {
	l := r.lexer.lang
	tokens := r.lexer.lex(text)
	r.lexer.s = "" // the text is the caller's
	r.tokens = tokens
	l.resolve(text, tokens, p)
	r.signals = l.holding(tokens, l.signals(&l.deeds, tokens, r.signals[:0]), 0)
	if len(r.signals) == 0 || p.Prose && l.onlyPurpose(r.signals) {
		r.signals = r.signals[:0]
		return Verdict{}
	}
	deeds := len(r.signals)
	r.signals = l.holding(tokens, l.signals(&l.manners, tokens, r.signals), deeds)
	slices.SortStableFunc(r.signals, func(a, b signal) int { return int(a.first - b.first) })
	if r.lexer.leet >= leetWords {
		p.Extra = leetPoints
	}
	w := l.judge(r.signals, p.Extra)
	if w.points == 0 {
		return Verdict{}
	}
	return Verdict{Points: w.points, Class: w.class, Start: int(tokens[w.first].start), End: int(tokens[w.last].end), rules: w.rules}
}

// Rules lists the ids of the rules that spoke.
func (v Verdict) Rules() (ids []string) {
	for i, r := range rules {
		if v.rules.has(i) {
			ids = append(ids, r.id)
		}
	}
	return ids
}

// Why puts the verdict into words: what the deeds are, and what dresses them up.
func (v Verdict) Why() string {
	var parts []string
	for i, r := range rules {
		if v.rules.has(i) {
			parts = append(parts, r.why)
		}
	}
	return "the text " + strings.Join(parts, "; ")
}

// onlyPurpose reports whether all deeds stand in the first verb of a text. It
// says what the tool is for: "Sends the report to https://...".
func (l *grammar) onlyPurpose(deeds []signal) bool {
	for _, s := range deeds {
		if g := l.rules[s.rule].group; s.first > 0 || g != sensitive && g != exfil && g != destroy && g != command {
			return false
		}
	}
	return true
}

// holding keeps the signals from the given one on that mean what they say.
func (l *grammar) holding(tokens []token, all []signal, from int) []signal {
	kept := all[:from]
	for _, sig := range all[from:] {
		if l.holds(tokens, sig) {
			kept = append(kept, sig)
		}
	}
	return kept
}
