package mcpserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
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
// server, over HTTP, and take turns in one run. Server, proxy and gateway are processes of
// their own, as in use, so that each bears its own garbage and nobody else's.
// ours-over-plain is the ratio of the medians of what is added; the bar is 0.5. ours-KB is
// the garbage of the gateway's process; the bar is 60.
func BenchmarkHop(b *testing.B) {
	if part := os.Getenv(hopPart); part != "" {
		bePart(b, part, os.Getenv(hopPart+"_END"))
		return
	}
	for name, modern := range map[string]bool{"sessions": false, "stateless": true} {
		b.Run(name, func(b *testing.B) {
			end := startPart(b, "end "+name, "")
			proxies := map[string]*part{"plain": startPart(b, "plain "+name, end.url), "ours": startPart(b, "ours "+name, end.url)}
			ways := []string{"direct", "plain", "ours"}
			calls := map[string]func(){"direct": caller(b, end.url, modern, "nothing")}
			for way, p := range proxies {
				calls[way] = caller(b, p.url, modern, "nothing")
			}
			const warming = 200
			for range warming {
				for _, way := range ways {
					calls[way]()
				}
			}
			times := map[string][]float64{}
			for b.Loop() {
				rand.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
				for _, way := range ways {
					started := time.Now()
					calls[way]()
					times[way] = append(times[way], microseconds(started))
				}
			}
			median := map[string]float64{}
			for way, all := range times {
				slices.Sort(all)
				median[way] = all[len(all)/2]
			}
			const counted = 100
			for way, p := range proxies {
				before := p.allocated(b)
				for range counted {
					calls[way]()
				}
				b.ReportMetric(float64(p.allocated(b)-before)/counted/1000, way+"-KB")
				b.ReportMetric(median[way]-median["direct"], "p50-"+way+"-adds-us")
			}
			b.ReportMetric(median["direct"], "p50-direct-us")
			b.ReportMetric((median["ours"]-median["direct"])/(median["plain"]-median["direct"]), "ours-over-plain")
		})
	}
}

// hopPart names the part that a process of BenchmarkHop is.
const hopPart = "GLOVEBOX_HOP"

// part is a process of the benchmark's own program.
type part struct {
	url  string
	ask  io.Writer
	said *bufio.Reader
}

// startPart starts a part that forwards to end.
func startPart(b *testing.B, name, end string) *part {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^$", "-test.bench=^BenchmarkHop$", "-test.benchtime=1x")
	cmd.Env = append(os.Environ(), hopPart+"="+name, hopPart+"_END="+end)
	cmd.Stderr = os.Stderr
	ask, _ := cmd.StdinPipe()
	said, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { ask.Close(); _ = cmd.Wait() })
	p := &part{ask: ask, said: bufio.NewReader(said)}
	p.url = p.line(b, "http")
	return p
}

// line returns the next line that begins with a prefix, without what testing prints.
func (p *part) line(b *testing.B, prefix string) string {
	for {
		text, err := p.said.ReadString('\n')
		if err != nil {
			b.Fatal("a part of the benchmark ended: ", err)
		}
		if i := strings.Index(text, prefix); i >= 0 {
			return strings.TrimSpace(text[i:])
		}
	}
}

// allocated returns what the part has allocated so far, in bytes.
func (p *part) allocated(b *testing.B) uint64 {
	if _, err := fmt.Fprintln(p.ask); err != nil {
		b.Fatal(err)
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(p.line(b, "allocated "), "allocated "), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// bePart serves until its input ends, and says for each line what it has allocated.
func bePart(b *testing.B, name, end string) {
	what, era, _ := strings.Cut(name, " ")
	var url string
	switch what {
	case "end":
		url = serveSDK(b, echoServer(), era == "stateless")
	case "plain":
		url = plainProxy(b, end, era == "stateless")
	case "ours":
		url = gatewayTo(b, end)
	}
	fmt.Println(url)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		fmt.Println("allocated", m.TotalAlloc)
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
