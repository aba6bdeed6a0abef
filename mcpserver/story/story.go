// Package story tells what is on record about a call in plain words: who called what, what
// was decided and why, which passages it rests on, what a person said, and what came of it.
package story

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// Line is one sentence of a story. Depth says how far it is part of the one before.
type Line struct {
	Depth int
	Text  string
}

// String writes the line with two spaces for each step in depth.
func (l Line) String() string { return strings.Repeat("  ", l.Depth) + l.Text }

// outcomes say what came of a call.
var outcomes = map[audit.Outcome]string{
	audit.OK: "The call was made.", audit.Error: "The call was made and failed.",
	audit.Refused: "The call was not made.", audit.Asked: "A person was asked.",
}

// teller writes lines. What others wrote goes through spell.
type teller struct {
	lines []Line
	spell func(string) string
}

func (t *teller) line(depth int, format string, args ...any) {
	t.lines = append(t.lines, Line{depth, fmt.Sprintf(format, args...)})
}

// Of tells one record. Each text that somebody else wrote goes through spell, which makes
// it fit to be shown.
func Of(e audit.Entry, spell func(string) string) []Line {
	t := &teller{spell: spell}
	t.line(0, "On %s %s called %s (level %s).", e.Time.Local().Format(time.DateTime), spell(e.Caller), spell(e.Tool), spell(e.RiskLevel))
	t.line(0, "Arguments: %s", spell(string(e.Parameters)))
	t.line(0, "Decision: %s", spell(e.Decision))
	var flow labels.Flow
	if len(e.Flow) > 0 && json.Unmarshal(e.Flow, &flow) == nil {
		t.flow(&flow)
	}
	if a := e.Approval; a != nil {
		by := ""
		if a.By != "" {
			by = " by " + spell(a.By)
		}
		t.line(0, "A person was asked: %s%s.", a.Outcome, by)
	}
	t.line(0, "%s", outcomes[e.Outcome])
	if e.Cause != nil {
		t.line(0, "Why: %s (%s).", spell(e.Cause.Message), spell(e.Cause.Kind))
	}
	if e.Trace != "" {
		t.line(0, "Its trace is %s.", spell(e.Trace))
	}
	return t.lines
}

// flow says what a decision by the session rests on.
func (t *teller) flow(f *labels.Flow) {
	t.line(0, "Before the call the session was %s.", t.spell(f.Session.String()))
	switch {
	case len(f.Fired) == 0:
		t.line(0, "By what the session had met, nothing spoke against the call.")
	case f.Mode == "observe" && f.Verdict != "allow":
		t.line(0, "By what the session had met, the verdict is %s; it was only observed.", t.spell(f.Verdict))
	default:
		t.line(0, "By what the session had met, the verdict is %s.", t.spell(f.Verdict))
	}
	for _, fired := range f.Fired {
		t.line(1, "%s (%s): %s", fired.Rule, fired.Does, t.spell(fired.Why))
		for _, e := range fired.Evidence {
			about := "Read"
			if e.Argument != "" {
				about = "The argument " + t.spell(e.Argument) + " stood in what was read"
			}
			about += " from " + t.spell(e.Source)
			if e.Call != "" {
				about += " (call " + t.spell(e.Call) + ")"
			}
			if e.Passage != "" {
				about += fmt.Sprintf(": %q", t.spell(e.Passage))
			}
			t.line(2, "%s", about)
		}
	}
	if l := f.Leave; l != nil {
		t.line(0, "The person allowed as well: %s.", t.spell(l.String()))
	}
	if f.Kill != "" {
		t.line(0, "The session was stopped: %s. glovebox session reset releases it.", t.spell(string(f.Kill)))
	}
	if r := f.Result; r.Untrusted || r.Private || r.Secret {
		t.line(0, "What came back is %s.", t.spell(r.String()))
	}
}
