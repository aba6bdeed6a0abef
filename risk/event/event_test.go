package event

import (
	"fmt"
	"testing"

	"github.com/glovebox-run/glovebox/risk/mcp"
)

// Names and severities are a contract with whoever reads the audit trail.
func TestTypesAndSeverities(t *testing.T) {
	for _, tc := range []struct {
		e        Event
		name     string
		severity Severity
	}{
		{ServerRiskComputed{}, "server-risk-computed", Info},
		{ToolPublishRiskComputed{}, "tool-publish-risk-computed", Info},
		{FloorOverrideTriggered{}, "floor-override-triggered", Warn},
		{PoisoningHit{}, "poisoning-hit", Warn},
		{HashLedgerMismatch{}, "hash-ledger-mismatch", Warn},
		{HashLedgerRecanonicalized{}, "hash-ledger-recanonicalized", Info},
		{CompositionLifecycle{}, "composition-lifecycle", Info},
	} {
		if tc.e.Type() != tc.name || tc.e.Severity() != tc.severity {
			t.Errorf("%T: %s, %v", tc.e, tc.e.Type(), tc.e.Severity())
		}
	}
}

func TestFirstSeen(t *testing.T) {
	var seen Seen
	for i, tc := range []struct {
		e    Event
		want bool
	}{
		{ServerRiskComputed{"s", mcp.L2, 1}, true},
		{ServerRiskComputed{"s", mcp.L2, 1}, false},
		{ServerRiskComputed{"s", mcp.L3, 2}, true},
		{ServerRiskComputed{"s2", mcp.L2, 1}, true},
		{ToolPublishRiskComputed{"s", "t", mcp.L2, 1}, true},
		{FloorOverrideTriggered{LayerAuth, "f", "s", "", mcp.L5}, true},
		{FloorOverrideTriggered{LayerPublish, "f", "s", "", mcp.L5}, true},
		{PoisoningHit{"s", "t", "p", "one"}, true},
		{PoisoningHit{"s", "t", "p", "two"}, true},
		{PoisoningHit{"s", "t", "p", "one"}, false},
		// A name with a border in it must not be another event's key.
		{ServerRiskComputed{"s\x00L2", mcp.L2, 1}, true},
		{PoisoningHit{"s", "t\x00p", "p", ""}, true},
		{PoisoningHit{"s", "t", "p\x00p", ""}, true},
		{CompositionLifecycle{"c", Updated, "1"}, true},
		{CompositionLifecycle{"c", Updated, "2"}, true},
	} {
		if got := seen.First(tc.e); got != tc.want {
			t.Errorf("%d: %+v: first is %v", i, tc.e, got)
		}
	}
}

func TestSeenIsBounded(t *testing.T) {
	var seen Seen
	for i := range 3 * maxSeen {
		if !seen.First(PoisoningHit{Tool: fmt.Sprint(i)}) {
			t.Fatalf("%d was never seen", i)
		}
		if len(seen.keys) > maxSeen {
			t.Fatalf("%d keys are remembered", len(seen.keys))
		}
	}
}

func TestEventsOfAScore(t *testing.T) {
	server := mcp.ScoreServer(mcp.Default, mcp.Server{})
	tool := mcp.ScoreTool(mcp.Default, mcp.Tool{Name: "delete_all"})
	got := append(OfServer("s", server), OfTool("s", "delete_all", tool)...)
	want := []Event{
		ServerRiskComputed{"s", mcp.L5, server.Points},
		FloorOverrideTriggered{LayerAuth, mcp.FloorNoAuthUnknown, "s", "", mcp.L5},
		ToolPublishRiskComputed{"s", "delete_all", mcp.L5, tool.Points},
		FloorOverrideTriggered{LayerPublish, mcp.FloorIrreversibleVerb, "s", "delete_all", mcp.L5},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if calm := OfServer("s", mcp.ScoreServer(mcp.Default, mcp.Server{Transport: mcp.STDIO})); len(calm) != 1 {
		t.Errorf("no floor, but %v", calm)
	}
}
