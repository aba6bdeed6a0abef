package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk"
)

var update = flag.Bool("update", false, "rewrite the golden table")

// The sessions are ours; what they cost and stop is a golden file, so that a change of
// the engine that moves them shows up in review.
func TestOwnSessions(t *testing.T) {
	var out strings.Builder
	if err := run(&out, "testdata/sessions.jsonl", "testdata/servers.json", "testdata/operator.json", "", true, false); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/table.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestHowSessionsAreCounted(t *testing.T) {
	yes, no := true, false
	attack := &session{Kind: "attack", Steps: []step{
		{}, {Malicious: true, Effect: &no}, {Malicious: true, Effect: &yes}, {Malicious: true, Effect: &yes}, {AfterAttack: true}, {SchemaViolation: true},
	}}
	for _, c := range []struct {
		name     string
		verdicts [2]risk.Verdict // of the harmful steps
		denied   int
		stopped  int
	}{
		{"one is allowed", [2]risk.Verdict{risk.Deny, risk.Allow}, 0, 0},
		{"one is asked about", [2]risk.Verdict{risk.Deny, risk.Ask}, 0, 1},
		{"both are denied", [2]risk.Verdict{risk.Deny, risk.Deny}, 1, 1},
	} {
		var n counts
		n.count(attack, []risk.Verdict{risk.Allow, risk.Allow, c.verdicts[0], c.verdicts[1], risk.Deny, risk.Deny})
		if n.attacks != 1 || n.stoppedDenied != c.denied || n.stoppedAsked != c.stopped || n.after != 1 || n.afterDenied != 1 || n.before != 1 || n.beforeDenied != 0 {
			t.Errorf("%s: %+v", c.name, n)
		}
	}
	var n counts
	n.count(&session{Kind: "honest", Steps: []step{{}, {}, {SchemaViolation: true}}}, []risk.Verdict{risk.Deny, risk.Ask, risk.Deny})
	if n.honestSteps != 2 || n.honestDenied != 1 || n.honestAsked != 1 || n.sessionsDenied != 1 {
		t.Errorf("honest: %+v", n)
	}
}
