package story_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/mcpserver/story"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// TestNothingOfOthersIsToldUnspelled: every text of a record that somebody else wrote goes
// through the function that makes it fit to be shown.
func TestNothingOfOthersIsToldUnspelled(t *testing.T) {
	const bad = "\u202e"
	flow, err := json.Marshal(labels.Flow{
		Mode: "enforce", Verdict: "deny" + bad, Kill: live.Signal("k" + bad),
		Fired: []live.Fired{{Rule: "R1", Why: "why" + bad, Evidence: []*live.Evidence{{Argument: "a" + bad, Source: "s" + bad, Call: "c" + bad, Passage: "p" + bad}}}},
		Leave: &live.Leave{Server: "s" + bad, Tool: "t" + bad, Recipient: "r" + bad},
	})
	if err != nil {
		t.Fatal(err)
	}
	e := audit.Entry{Record: audit.Record{
		Time: time.Now(), Caller: "c" + bad, Tool: "t" + bad, RiskLevel: "l" + bad, Parameters: json.RawMessage(`"` + bad + `"`), Decision: "d" + bad, Trace: "t" + bad,
		Flow: flow, Approval: &audit.Approval{Outcome: "approved", By: "b" + bad}, Outcome: audit.Refused, Cause: &audit.Cause{Kind: "k" + bad, Message: "m" + bad},
	}}
	lines := story.Of(e, func(s string) string { return strings.ReplaceAll(s, bad, "<seen>") })
	whole := ""
	for _, l := range lines {
		whole += l.String() + "\n"
	}
	if strings.Contains(whole, bad) {
		t.Errorf("a character passed:\n%q", whole)
	}
	if n := strings.Count(whole, "<seen>"); n < 16 {
		t.Errorf("%d texts of others are told:\n%s", n, whole)
	}
	for _, want := range []string{"The call was not made.", "\n  R1 ", "\n    The argument a<seen> stood in what was read from s<seen> (call c<seen>)", "A person was asked: approved by b<seen>."} {
		if !strings.Contains(whole, want) {
			t.Errorf("there is no %q in\n%s", want, whole)
		}
	}
}
