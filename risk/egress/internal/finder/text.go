package finder

import (
	"slices"

	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
	"github.com/glovebox-run/glovebox/risk/egress/internal/hexdump"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/personal"
	"github.com/glovebox-run/glovebox/risk/egress/internal/present"
	"github.com/glovebox-run/glovebox/risk/egress/internal/shadow"
	"github.com/glovebox-run/glovebox/risk/egress/internal/trace"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// Sweep is one message being searched, in whatever layers it has.
type Sweep struct {
	engine *Engine
	// The classes besides credentials that are looked for.
	personal, internal bool
	scan               scan
	inner              scan // of decoded runs and joined lines
	shadow             shadow.Shadow
	chain              chain
	decoder            decode.Decoder

	dump   hexdump.Dump
	places [][2]int // of one secret in a dump

	chainRuns pattern.Runs
	found     map[int]int // by its end, one more than the start of a find in the text as it stands
	hits      []Hit

	Window int // the length from which a text is searched in windows
}

// NewSweep makes a search for one message. Of the classes besides credentials those
// that are wanted are looked for.
func NewSweep(e *Engine, wants func(rules.Class) bool) *Sweep {
	return &Sweep{engine: e, personal: wants(rules.Personal), internal: wants(rules.Internal), Window: WindowSize, decoder: decode.Decoder{Budget: decode.MostInflated}}
}

// Prose searches a text that is not JSON, or one string of JSON. The hits are
// merged and in order; they are valid until the next call.
func (w *Sweep) Prose(text []byte) []Hit {
	s := &w.scan
	has := present.In(text)
	s.reset(w.engine, text)
	s.run(has)
	table, tableDone := s.tableAt, s.tableDone
	if w.personal && has.Has(present.At|present.Digit) {
		personal.Each(text, s.found)
	}
	if w.internal && has.Has(present.Slash|present.Separator) {
		trace.Each(text, s.found)
	}
	w.encoded(text, func(start, end, rule int) { s.add(rule, start, end) })
	if len(text) >= shortestBroken && has.Has(present.Interrupt) {
		w.broken(text)
	}
	if len(text) >= shortestDump {
		w.dumped(text)
	}
	if len(text) >= 8 && has.Has(present.Escape|present.Beyond) && w.shadow.Reveal(text) {
		w.behind()
	}
	if len(text) >= shortestBroken && has.Has(present.Interrupt) && w.shadow.Unwrap(text) {
		w.behind()
	}
	s.tableAt, s.tableDone = table, tableDone
	return w.engine.merge(s.hits, text)
}

// behind searches what a text means, and adds the finds where they stand in the text.
func (w *Sweep) behind() {
	s := &w.scan
	hits := w.hits[:0]
	for _, h := range s.hits {
		if !w.engine.Rules[h.Rule].secret || !within(w.shadow.Unwrapped, h) { // else it was read in its code
			hits = append(hits, h)
		}
	}
	s.reset(w.engine, w.shadow.Text)
	s.run(present.In(s.text))
	w.encoded(s.text, func(start, end, rule int) { s.add(rule, start, end) })
	w.broken(s.text)
	w.dumped(s.text)
	for _, h := range s.hits {
		hits = append(hits, h.from(&w.shadow))
	}
	w.hits, s.hits = hits, append(s.hits[:0], hits...)
}

// within reports whether a hit lies in one of the places, which are in order.
func within(places [][2]int, h Hit) bool {
	i, _ := slices.BinarySearchFunc(places, h.Start, func(p [2]int, start int) int { return p[1] - 1 - start })
	return i < len(places) && places[i][0] <= h.Start && h.End <= places[i][1]
}
