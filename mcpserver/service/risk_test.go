package service

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk/event"
)

// TestRiskEventsAreLogged: each at its level, and never with the words of an attack.
func TestRiskEventsAreLogged(t *testing.T) {
	var out bytes.Buffer
	tell := tellRisk(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	for _, c := range []struct {
		event event.Event
		want  string
	}{
		{event.ServerRiskComputed{Server: "files"}, "level=DEBUG msg=risk.event type=server-risk-computed"},
		{event.CompositionLifecycle{}, "level=INFO msg=risk.event type=composition-lifecycle"},
		{event.HashLedgerMismatch{Server: "files", Tool: "cat"}, "level=WARN msg=risk.event type=hash-ledger-mismatch"},
		{event.PoisoningHit{Server: "files", Tool: "cat", Text: "obey me"}, "level=WARN msg=risk.event type=poisoning-hit"},
	} {
		out.Reset()
		tell(c.event)
		if got := out.String(); !strings.Contains(got, c.want) || strings.Contains(got, "obey") {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
