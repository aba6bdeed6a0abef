package mcpserver_test

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/admission"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// BenchmarkServedCall compares a tool that does nothing, served by us with the
// audit on, with an SDK server whose handler does nothing. The two take turns in
// one run; p50-extra-us is the difference of the medians.
func BenchmarkServedCall(b *testing.B) {
	for name, options := range map[string]audit.Options{"batched": {}, "sync-always": {SyncAlways: true}} {
		b.Run(name, func(b *testing.B) {
			f := newFixtureWith(b, options, mcpserver.Config{Limits: admission.Limits{Rate: 1e9}}, tool("nothing", "", ""))
			bare := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1"}, nil)
			bare.AddTool(&mcp.Tool{Name: "nothing", InputSchema: map[string]any{"type": "object"}},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "undefined"}}}, nil
				})
			here, there := net.Pipe()
			if _, err := bare.Connect(b.Context(), &mcp.IOTransport{Reader: there, Writer: there}, nil); err != nil {
				b.Fatal(err)
			}
			theirs := connect(b, stateless, &mcp.IOTransport{Reader: here, Writer: here}, nil)
			ours := f.stdio(b, stateless, nil)
			one := func(client *mcp.ClientSession) time.Duration {
				started := time.Now()
				if _, err := client.CallTool(b.Context(), &mcp.CallToolParams{Name: "nothing"}); err != nil {
					b.Fatal(err)
				}
				return time.Since(started)
			}
			one(ours) // compiles
			var us, them []time.Duration
			for b.Loop() {
				us, them = append(us, one(ours)), append(them, one(theirs))
			}
			slices.Sort(us)
			slices.Sort(them)
			p50 := func(d []time.Duration) float64 { return float64(d[len(d)/2].Nanoseconds()) / 1000 }
			b.ReportMetric(p50(us), "p50-ours-us")
			b.ReportMetric(p50(them), "p50-sdk-us")
			b.ReportMetric(p50(us)-p50(them), "p50-extra-us")
		})
	}
}
