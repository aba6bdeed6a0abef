package egress

import (
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
)

// sweep is one message being searched, in whatever layers it has.
type sweep struct {
	engine  *Engine
	policy  *Policy
	scan    scan
	inner   scan // of decoded runs and joined lines
	shadow  shadow
	chain   chain
	decoder decoder

	chainRuns pattern.Runs
	found     map[int]int // by its end, one more than the start of a find in the text as it stands
	hits      []hit

	window     int    // the length from which a text is searched in windows
	nameBuffer []byte // the member name that was read last
}

func newSweep(e *Engine, p *Policy) *sweep {
	return &sweep{engine: e, policy: p, window: windowSize, decoder: decoder{budget: mostInflated}}
}

// prose searches a text that is not JSON, or one string of JSON. The hits are
// merged and in order; they are valid until the next call.
func (w *sweep) prose(text []byte) []hit {
	s := &w.scan
	s.reset(w.engine, text)
	s.run()
	table, tableDone := s.tableAt, s.tableDone
	w.personal(s)
	w.internals(s)
	w.encoded(text, func(start, end, rule int) { s.add(rule, start, end) })
	if len(text) >= shortestBroken {
		w.broken(text)
	}
	if len(text) >= 8 && needsReveal(text) && w.shadow.reveal(text) {
		hits := append(w.hits[:0], s.hits...)
		s.hits = s.hits[:0]
		s.reset(w.engine, w.shadow.text)
		s.run()
		w.encoded(s.text, func(start, end, rule int) { s.add(rule, start, end) })
		w.broken(s.text)
		for _, h := range s.hits {
			hits = append(hits, w.shadow.back(h))
		}
		w.hits, s.hits = hits, append(s.hits[:0], hits...)
	}
	s.tableAt, s.tableDone = table, tableDone
	return w.engine.merge(s.hits, text)
}
