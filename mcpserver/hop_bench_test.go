package mcpserver_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/door"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// BenchmarkHop measures what the gateway adds to a call of another server's tool, with
// pin, level, decision, sanitiser and record, against what a plain proxy of the SDK adds:
// an SDK server whose handler calls an SDK client. All three ways end at the same SDK
// server, over HTTP, and take turns in one run. ours-over-plain is the ratio of the
// medians of what is added; the bar is 0.5. added-KB is the garbage that is added; the bar
// is 60.
func BenchmarkHop(b *testing.B) {
	for name, modern := range map[string]bool{"sessions": false, "stateless": true} {
		b.Run(name, func(b *testing.B) {
			end := serveSDK(b, echoServer(), modern)
			ways := map[string]func(){
				"direct": caller(b, end, modern, "nothing"),
				"plain":  caller(b, plainProxy(b, end, modern), modern, "nothing"),
				"ours":   caller(b, gatewayTo(b, end), modern, "nothing"),
			}
			times := map[string][]float64{}
			for b.Loop() {
				for way, call := range ways {
					started := time.Now()
					call()
					times[way] = append(times[way], microseconds(started))
				}
			}
			median, garbage := map[string]float64{}, map[string]float64{}
			const counted = 100
			for way, call := range ways {
				slices.Sort(times[way])
				median[way] = times[way][len(times[way])/2]
				var before, after goruntime.MemStats
				goruntime.ReadMemStats(&before)
				for range counted {
					call()
				}
				goruntime.ReadMemStats(&after)
				garbage[way] = float64(after.TotalAlloc-before.TotalAlloc) / counted / 1000
			}
			for _, way := range []string{"plain", "ours"} {
				b.ReportMetric(median[way]-median["direct"], "p50-"+way+"-adds-us")
				b.ReportMetric(garbage[way]-garbage["direct"], way+"-adds-KB")
			}
			b.ReportMetric((median["ours"]-median["direct"])/(median["plain"]-median["direct"]), "ours-over-plain")
		})
	}
}

// echoServer is a server with a tool that does nothing.
func echoServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "end", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "nothing", Description: "Does nothing, and says that it did nothing.", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "nothing was done"}}}, nil
		})
	return s
}

func serveSDK(b *testing.B, s *mcp.Server, modern bool) (url string) {
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: modern}))
	b.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	return h.URL
}

// plainProxy passes calls on as the SDK's parts do when they are put together.
func plainProxy(b *testing.B, end string, modern bool) (url string) {
	version := sessions
	if modern {
		version = stateless
	}
	client := connect(b, version, &mcp.StreamableClientTransport{Endpoint: end}, nil)
	proxy := mcp.NewServer(&mcp.Implementation{Name: "plain", Version: "1"}, nil)
	proxy.AddTool(&mcp.Tool{Name: "nothing", InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return client.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	return serveSDK(b, proxy, modern)
}

// gatewayTo serves the tools of another server.
func gatewayTo(b *testing.B, end string) (url string) {
	f := newFixtureWith(b, audit.Options{}, mcpserver.Config{Limits: admission.Limits{Rate: 1e9}, Calls: judged(risk.LevelPolicy{Ceiling: risk.L5, Unasked: risk.L5})})
	ctx, cancel := context.WithCancel(context.Background())
	kept, err := store.Open(ctx, b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	registry, err := exposure.Open(ctx, kept, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	pins, err := ledger.Open(ctx, kept, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	offered := make(chan struct{}, 1)
	f.server.Arrange(mcpserver.Endpoints{Exposure: mcpserver.Both, Default: "exposed"})
	gate, err := door.Open(ctx, door.Options{
		Registry: registry, Ledger: pins,
		Upstreams: upstream.Options{Name: "glovebox", Version: "bench", Resolve: netguard.SystemResolve, Dial: netguard.SystemDial},
		Publish: func(o *exposure.Offer) {
			var tools []governed.Tool
			for _, tool := range o.Set(exposure.Exposed).Tools {
				tools = append(tools, tool)
			}
			if f.server.Compose("exposed", mcpserver.Composition{Tools: tools}); len(tools) > 0 {
				select {
				case offered <- struct{}{}:
				default:
				}
			}
		},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { gate.Close(); cancel(); kept.Close() })
	err = registry.Add(ctx, exposure.Registration{
		Config: upstream.Config{Name: "end", Kind: upstream.HTTP, URL: end, AllowPrivate: true},
		State:  exposure.Enabled, Origin: exposure.ByCommand, Policy: exposure.Policy{FirstSight: exposure.Trust},
	})
	if err != nil {
		b.Fatal(err)
	}
	if err := registry.Expose(ctx, "end", "bench", func(e *exposure.Exposure) error { e.All = true; return nil }); err != nil {
		b.Fatal(err)
	}
	select {
	case <-offered:
	case <-time.After(20 * time.Second):
		b.Fatalf("nothing is offered: %+v", gate.Offer().Withheld)
	}
	return f.endpoint(b, mcpserver.HTTP{Open: true}) + "/mcp"
}
