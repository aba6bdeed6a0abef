package egress

import (
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/risk/egress/internal/finder"
)

// Finding is one detected secret, as the record keeps it, without the value.
type Finding struct {
	Rule    string `json:"rule"`
	Class   string `json:"class"`
	Pointer string `json:"pointer,omitempty"` // JSON pointer of the string, for JSON
	Start   int    `json:"start"`             // byte offset in the text as it came
	End     int    `json:"end"`
	Hash    string `json:"hash"` // keyed by the session: equal for equal values
	Action  string `json:"action"`
}

// Outcome is the result of sanitising a message.
type Outcome struct {
	Findings []Finding
	// Blocked says why the message is blocked; empty means it may pass.
	Blocked string
}

// Redacted counts the placeholders by kind.
func (o *Outcome) Redacted() map[string]int {
	counts := map[string]int{}
	for _, f := range o.Findings {
		if f.Action == Redact.String() {
			counts[f.Rule]++
		}
	}
	return counts
}

// Sanitiser replaces secrets with placeholders. It is immutable and safe for
// concurrent use.
type Sanitiser struct {
	engine *Engine
	policy Policy
}

// New makes a sanitiser.
func New(engine *Engine, policy Policy) *Sanitiser {
	return &Sanitiser{engine: engine, policy: policy}
}

// Text cleans a text, which may be JSON. The offsets of the findings are those
// of the text after known secrets were masked, which is the text itself when the
// session knows none. A blocked text comes back empty.
func (s *Sanitiser) Text(session *Session, at Place, text string) (string, Outcome) {
	out, outcome := s.Bytes(session, at, []byte(text))
	return string(out), outcome
}

// Bytes is Text for bytes. JSON stays JSON.
func (s *Sanitiser) Bytes(session *Session, at Place, text []byte) ([]byte, Outcome) {
	var outcome Outcome
	if s.policy.exceeds(len(text)) {
		outcome.Blocked = fmt.Sprintf("the message has %d bytes; more than %d are not searched for secrets and do not pass", len(text), s.policy.MaxBytes)
		return nil, outcome
	}
	text = session.known.JSON(text)
	w := finder.NewSweep(s.engine.finder, s.policy.wants)
	return s.rewrite(session, at, text, w.Any(text, 0), &outcome, &growth{}), outcome
}

// freeGrowth is how many bytes a text may always grow by; beyond that it grows by
// half at most, so that many short secrets cannot turn a short answer into a long
// one.
const freeGrowth = 1 << 10

// growth is by how much a text has grown: the bytes read so far, and those written
// for them, without a value that is being replaced.
type growth struct{ read, written int }

// fit returns the longest placeholder that there is room for.
func (g *growth) fit(placeholder string, value int) string {
	room := g.read/2 + freeGrowth - (g.written - g.read)
	for _, p := range [...]string{placeholder, "[REDACTED]"} {
		if len(p) <= room {
			return p
		}
	}
	return Mask[:min(len(Mask), value)]
}

// rewrite puts placeholders in the place of hits and fills in the outcome.
func (s *Sanitiser) rewrite(session *Session, at Place, text []byte, hits []finder.Hit, outcome *Outcome, grown *growth) []byte {
	var out []byte
	outcome.Findings = slices.Grow(outcome.Findings, len(hits))
	done := 0
	defer func() { grown.read, grown.written = grown.read+len(text)-done, grown.written+len(text)-done }()
	for _, h := range hits {
		r := &s.engine.finder.Rules[h.Rule]
		action := s.policy.action(at, &r.Rule, r.Class)
		if action == Ignore {
			continue
		}
		value := h.Value(text)
		placeholder, hash := session.placeholder(r.Kind, value)
		outcome.Findings = append(outcome.Findings, Finding{
			Rule: r.ID, Class: string(r.Class), Pointer: h.Pointer, Start: h.Start, End: h.End, Hash: hash, Action: action.String(),
		})
		switch action {
		case Redact:
			if out == nil {
				out = make([]byte, 0, len(text)+len(text)/8)
			}
			out = append(out, text[done:h.Start]...)
			grown.read, grown.written = grown.read+h.End-done, grown.written+h.End-done-len(value)
			placeholder = grown.fit(placeholder, len(value))
			grown.written += len(placeholder)
			out = append(out, placeholder...)
			for _, hole := range h.Holes {
				out = append(out, text[hole[0]:hole[1]]...)
			}
			done = h.End
		case Block:
			outcome.Blocked = fmt.Sprintf("the message holds something the policy does not let through (%s)", r.ID)
		}
	}
	switch {
	case outcome.Blocked != "":
		return nil
	case done == 0:
		return text
	}
	return append(out, text[done:]...)
}
