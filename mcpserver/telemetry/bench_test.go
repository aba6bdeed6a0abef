package telemetry_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	risk "github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// taking is a receiver that accepts everything as fast as possible.
type taking struct{}

func (taking) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	for _, s := range spans {
		_ = s.Attributes() // cleans them
	}
	return nil
}
func (taking) Shutdown(context.Context) error { return nil }

// ways are the kinds of telemetry compared.
func ways(b *testing.B) map[string]*telemetry.Telemetry {
	return map[string]*telemetry.Telemetry{
		"off":     nil,
		"metrics": opened(b, telemetry.Config{LogLevel: slog.LevelWarn}, &sink{}, nil),
		"spans":   opened(b, telemetry.Config{LogLevel: slog.LevelWarn}, &sink{}, taking{}),
	}
}

// BenchmarkCall measures what observing adds to one call, without the call itself.
func BenchmarkCall(b *testing.B) {
	result := &governed.Result{Output: governed.Output{Usage: jsengine.Usage{Fuel: 30_000}}, Queued: time.Microsecond, Recording: time.Microsecond, Ran: true}
	for name, seen := range ways(b) {
		b.Run(name, func(b *testing.B) {
			subject := seen.Upstream(telemetry.Upstream{Alias: "one", Final: risk.L1})
			b.ReportAllocs()
			for b.Loop() {
				c := subject.Begin("AAAAAAAA", telemetry.Origin{Transport: "stdio", Protocol: stateless})
				c.Ended(result)
				c.End()
			}
		})
	}
}

// BenchmarkServedCall compares served calls of a tool that does nothing. The kinds
// take turns in one run; x-off is the ratio of the median to the one without
// telemetry.
func BenchmarkServedCall(b *testing.B) {
	names := []string{"off", "metrics", "spans"}
	all := ways(b)
	clients := map[string]*mcp.ClientSession{}
	took := map[string][]time.Duration{}
	for _, name := range names {
		s := setup{telemetry: all[name], off: name == "off", specs: []string{tool("nothing", "", "")}}
		clients[name] = newFixture(b, s).client(b, stateless, "")
	}
	one := func(name string) time.Duration {
		began := time.Now()
		if _, err := clients[name].CallTool(b.Context(), &mcp.CallToolParams{Name: "nothing", Arguments: json.RawMessage(`{}`)}); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	for range 100 { // compiles, and fills pools
		for _, name := range names {
			one(name)
		}
	}
	for b.Loop() {
		for _, name := range names {
			took[name] = append(took[name], one(name))
		}
	}
	p50 := func(name string) float64 {
		slices.Sort(took[name])
		return float64(took[name][len(took[name])/2].Nanoseconds()) / 1000
	}
	off := p50("off")
	b.ReportMetric(off, "off-p50-us")
	for _, name := range names[1:] {
		b.ReportMetric(p50(name), name+"-p50-us")
		b.ReportMetric(p50(name)/off, name+"-x-off")
	}
}

// BenchmarkLine is one log line, cleaned.
func BenchmarkLine(b *testing.B) {
	seen := opened(b, telemetry.Config{LogFormat: "json"}, &sink{}, nil)
	f := newFixture(b, setup{telemetry: seen, specs: []string{tool("one", "return k;", `"staticVariables":[{"k":"${KEY}"}]`)}, lookup: func(string) (string, bool) { return "a-secret-value", true }})
	log := f.seen.Logger()
	b.ReportAllocs()
	for b.Loop() {
		log.Info("mcp.tool.done", "cid", "AAAAAAAA", "tool", "one", "level", "L1", "outcome", "ok", "duration_ms", 1.5)
	}
}
