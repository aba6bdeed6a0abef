package telemetry_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// TestSlowCalls: a call is told of while it goes on and when it has ended, with what each
// phase took; a person's time does not count. The clock is the bubble's.
func TestSlowCalls(t *testing.T) {
	for _, row := range []struct {
		name   string
		phases map[governed.Phase]time.Duration
		ends   bool
		want   []string
	}{
		{"fast", map[governed.Phase]time.Duration{governed.Run: 4 * time.Second}, true, nil},
		{"asked for long", map[governed.Phase]time.Duration{governed.Person: time.Minute, governed.Run: time.Second}, true, nil},
		{"slow", map[governed.Phase]time.Duration{governed.Queue: 3 * time.Second, governed.Run: 4 * time.Second}, true, []string{"call.overdue", "call.slow"}},
		{"asked and slow", map[governed.Phase]time.Duration{governed.Person: time.Minute, governed.Run: 9 * time.Second}, true, []string{"call.overdue", "call.slow"}},
		{"without end", map[governed.Phase]time.Duration{governed.Queue: time.Hour}, false, []string{"call.overdue"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			log := &sink{}
			seen, err := telemetry.OpenWith(t.Context(), telemetry.Config{LogFormat: "json", LogLevel: slog.LevelWarn, SlowCall: 5 * time.Second}, "test", log, nil)
			if err != nil {
				t.Fatal(err)
			}
			c := seen.Upstream(telemetry.Upstream{Alias: "one", Final: mcp.L1}).Begin("AAAAAAAA", telemetry.Origin{Meta: map[string]any{"traceparent": ofMeta}})
			for _, p := range governed.Phases {
				c.Follow()(p)
				time.Sleep(row.phases[p]) // of the bubble
			}
			if row.ends {
				c.Ended(&governed.Result{})
				c.End()
			}
			lines := log.lines(t)
			if len(lines) != len(row.want) {
				t.Fatalf("%s: %v", row.name, lines)
			}
			for i, line := range lines {
				took := line["seconds"].(map[string]any)
				if line["msg"] != row.want[i] || line["tool"] != "one" || line["cid"] != "AAAAAAAA" || line["trace_id"] != ofMeta[3:35] || len(took) != len(governed.Phases) {
					t.Errorf("%s: %v", row.name, line)
				}
				for p, want := range row.phases {
					if got := took[string(p)].(float64); row.want[i] == "call.slow" && got != want.Seconds() {
						t.Errorf("%s: %s took %v", row.name, p, got)
					}
				}
			}
			if !row.ends {
				c.Ended(&governed.Result{})
				c.End()
			}
			if err := seen.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestASlowCallOfATool: the phases are those of the pipeline, and what the caller sent is
// in no line.
func TestASlowCallOfATool(t *testing.T) {
	log := &sink{}
	seen := opened(t, telemetry.Config{LogFormat: "json", LogLevel: slog.LevelWarn, SlowCall: time.Nanosecond}, log, nil)
	f := newFixture(t, setup{telemetry: seen, specs: []string{tool("one", "await new Promise(done => setTimeout(done, 30)); return telltale;", `"params":[{"name":"telltale","description":"x","type":"STRING","required":true,"testValue":"x"}]`)}})
	client := f.client(t, stateless, "")
	if _, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: "one", Arguments: map[string]any{"telltale": "Zq7-argument"}}); err != nil {
		t.Fatal(err)
	}
	// Over stdio the line may come after the answer.
	for began := time.Now(); !strings.Contains(log.String(), `"msg":"call.slow"`) && time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
	}
	found := false
	for _, line := range log.lines(t) {
		if line["msg"] != "call.slow" {
			continue
		}
		found = true
		took := line["seconds"].(map[string]any)
		if run := took["run"].(float64); run < 0.02 || run > line["duration"].(float64) || took["record"].(float64) <= 0 || took["policy"].(float64) <= 0 {
			t.Errorf("%v", line)
		}
	}
	if !found || strings.Contains(log.String(), "Zq7") {
		t.Errorf("%s", log)
	}
}
