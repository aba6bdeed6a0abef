package upstream_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// serveSDKOnHTTP is what the test's own program does as a server over HTTP: it says its
// address and serves until its input ends.
func serveSDKOnHTTP(stateless bool) {
	server := sdkServer(make(chan string, 100))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("http://" + l.Addr().String())
	go func() {
		_ = http.Serve(l, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: stateless}))
	}()
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
}

// BenchmarkCall lets a raw call through an Upstream take turns with the SDK's client, to
// the same kind of server in a process of its own, and reports the medians and the garbage
// of each. The memory is that of the client alone.
func BenchmarkCall(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for _, way := range []struct{ name, server, era, version string }{
		{"stdio/legacy", "sdk", "legacy", "2025-11-25"},
		{"stdio/modern", "sdk", "modern", "2026-07-28"},
		{"http/legacy", "sdk http", "legacy", "2025-11-25"},
		{"http/modern", "sdk http stateless", "modern", "2026-07-28"},
	} {
		b.Run(way.name, func(b *testing.B) {
			c := upstream.Config{Name: "bench", Era: way.era, Kind: upstream.Stdio, Command: []string{self}, Env: map[string]string{asServer: way.server}, AllowPrivate: true}
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), asServer+"="+way.server)
			var transport mcp.Transport = &mcp.CommandTransport{Command: cmd}
			if strings.HasPrefix(way.server, "sdk http") {
				in, _ := cmd.StdinPipe()
				out, _ := cmd.StdoutPipe()
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				defer func() { in.Close(); _ = cmd.Wait() }()
				address, err := bufio.NewReader(out).ReadString('\n')
				if err != nil {
					b.Fatal(err)
				}
				c.Kind, c.URL, c.Command, c.Env = upstream.HTTP, strings.TrimSpace(address), nil, nil
				transport = &mcp.StreamableClientTransport{Endpoint: c.URL}
			}
			u := open(b, c, options())
			theirs, err := mcp.NewClient(&mcp.Implementation{Name: "peer", Version: "1"}, nil).Connect(context.Background(), transport, &mcp.ClientSessionOptions{ProtocolVersion: way.version})
			if err != nil {
				b.Fatal(err)
			}
			defer theirs.Close()
			text := strings.Repeat("some text of a tool. ", 20)
			r := upstream.Request{Method: "tools/call", Params: []byte(`{"name":"echo","arguments":{"text":"` + text + `"}}`)}
			params := &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": text}}
			ours := func() {
				if _, err := u.Call(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
			peers := func() {
				if _, err := theirs.CallTool(b.Context(), params); err != nil {
					b.Fatal(err)
				}
			}
			for range 50 {
				ours()
				peers()
			}
			var took [2][]time.Duration
			for b.Loop() {
				for i, one := range []func(){ours, peers} {
					began := time.Now()
					one()
					took[i] = append(took[i], time.Since(began))
				}
			}
			n := int64(500)
			garbage := [2]float64{}
			for i, one := range []func(){ours, peers} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for range n {
					one()
				}
				runtime.ReadMemStats(&after)
				garbage[i] = float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
			}
			median := func(all []time.Duration) float64 {
				slices.SortFunc(all, cmp.Compare)
				return float64(all[len(all)/2])
			}
			us, they := median(took[0]), median(took[1])
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(us/1e3, "us/call")
			b.ReportMetric(they/1e3, "us/sdk-call")
			b.ReportMetric(us/they, "x-sdk")
			b.ReportMetric(garbage[0], "B/call")
			b.ReportMetric(garbage[1], "B/sdk-call")
		})
	}
}

// BenchmarkIdle reports what a connected server that nobody uses holds in the gateway's
// memory, with the definitions of its ten tools, and, over stdio, in its supervisor's: the
// median of what the kernel says that nobody shares with it. BenchmarkIdleUpstreams of the
// program has the same for all of Glovebox.
func BenchmarkIdle(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	inUse := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc+m.StackInuse) / 1024
	}
	served := exec.Command(self)
	served.Env = append(os.Environ(), asServer+"=sdk http")
	in, _ := served.StdinPipe()
	out, _ := served.StdoutPipe()
	if err := served.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() { in.Close(); _ = served.Wait() }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	for name, c := range map[string]upstream.Config{
		"stdio": {Kind: upstream.Stdio, Command: []string{self}, Env: map[string]string{asServer: "sdk"}},
		"http":  {Kind: upstream.HTTP, URL: strings.TrimSpace(address), AllowPrivate: true, Era: "legacy"},
	} {
		b.Run(name, func(b *testing.B) {
			const n = 10
			before := inUse()
			for i := range n {
				c.Name = fmt.Sprint("idle-", i)
				u := open(b, c, options())
				if _, err := u.Surface(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric((inUse()-before)/n, "KiB/server")
			if held := supervisors(b); held > 0 {
				b.ReportMetric(held, "supervisor-KiB/server")
			}
		})
	}
}

// supervisors returns the private memory of a supervisor in KiB, 0 if there is none or the
// kernel does not say.
func supervisors(b *testing.B) float64 {
	b.Helper()
	var pids []string
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, task := range tasks { // a child belongs to the thread that started it
		if text, err := os.ReadFile("/proc/self/task/" + task.Name() + "/children"); err == nil {
			pids = append(pids, strings.Fields(string(text))...)
		}
	}
	var all []float64
	for _, pid := range pids {
		name, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		rollup, err := os.ReadFile("/proc/" + pid + "/smaps_rollup")
		if err != nil || !strings.HasPrefix(string(name), "glovebox-supervise\x00") {
			continue
		}
		held := 0.0
		for line := range strings.Lines(string(rollup)) {
			var kib float64
			if _, err := fmt.Sscanf(line, "Private_Dirty: %f kB", &kib); err == nil {
				held += kib
			}
		}
		all = append(all, held)
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
