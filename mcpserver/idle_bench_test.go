package mcpserver_test

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

var idleSessions = flag.Int("idle-sessions", 10_000, "the number of sessions of BenchmarkIdleSession; the bar is for 100000")

// BenchmarkIdleSession measures what an idle session of the older protocol takes: the
// growth of the memory of a server in a process of its own, resident, not only Go's, by
// -idle-sessions sessions that were opened, listed the tools and went quiet, divided by
// their number. awake is without sleep, as it was before there was any. The bar is 1 GB
// for 100,000 sessions that sleep, 10,000 bytes each.
func BenchmarkIdleSession(b *testing.B) {
	if after := os.Getenv(idlePart); after != "" {
		beIdleServer(b, after)
		return
	}
	for _, c := range []struct {
		name, sleepAfter string
		asleep           int
	}{{"awake", "24h", 0}, {"asleep", "1s", *idleSessions}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				self, err := os.Executable()
				if err != nil {
					b.Fatal(err)
				}
				cmd := exec.Command(self, "-test.run=^$", "-test.bench=^BenchmarkIdleSession$", "-test.benchtime=1x", fmt.Sprint("-idle-sessions=", *idleSessions))
				cmd.Env = append(os.Environ(), idlePart+"="+c.sleepAfter)
				cmd.Stderr = os.Stderr
				ask, _ := cmd.StdinPipe()
				said, _ := cmd.StdoutPipe()
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				p := &part{ask: ask, said: bufio.NewReader(said)}
				p.url = p.line(b, "http")
				before := p.takes(b)
				openSessions(b, p.url, *idleSessions)
				after := p.takes(b)
				for after.asleep < c.asleep {
					time.Sleep(100 * time.Millisecond)
					after = p.takes(b)
				}
				if after.sessions != *idleSessions {
					b.Fatalf("%d sessions are open, and not %d", after.sessions, *idleSessions)
				}
				ask.Close()
				_ = cmd.Wait()
				n := float64(*idleSessions)
				b.ReportMetric(float64(after.resident-before.resident)/n, "B/session")
				b.ReportMetric(float64(after.goroutines-before.goroutines)/n, "goroutines/session")
				b.ReportMetric(float64(after.resident)/1e6, "MB-in-all")
			}
		})
	}
}

// idlePart is how soon the sessions of the process sleep that the benchmark looks at.
const idlePart = "GLOVEBOX_IDLE"

// usage is what the server takes, after all garbage is given back.
type usage struct{ resident, goroutines, sessions, asleep int }

func (p *part) takes(b *testing.B) (t usage) {
	if _, err := fmt.Fprintln(p.ask); err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Sscanf(p.line(b, "takes "), "takes %d %d %d %d", &t.resident, &t.goroutines, &t.sessions, &t.asleep); err != nil {
		b.Fatal(err)
	}
	return t
}

// beIdleServer serves until its input ends, and says for each line what it takes.
func beIdleServer(b *testing.B, after string) {
	sleepAfter, err := time.ParseDuration(after)
	if err != nil {
		b.Fatal(err)
	}
	f := newFixture(b, mcpserver.Config{Limits: admission.Limits{Rate: -1, Sessions: *idleSessions + 100, SessionsInAll: *idleSessions + 100}}, add)
	fmt.Println(f.endpoint(b, mcpserver.HTTP{Open: true, SleepAfter: sleepAfter, SessionTimeout: 24 * time.Hour}) + "/mcp")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		debug.FreeOSMemory()
		pages, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			b.Fatal(err)
		}
		var size, resident int
		fmt.Sscan(string(pages), &size, &resident)
		sessions, asleep := f.server.Sessions()
		fmt.Println("takes", resident*os.Getpagesize(), goruntime.NumGoroutine(), sessions, asleep)
	}
}

// openSessions opens sessions over a few connections, and lists the tools in each.
func openSessions(b *testing.B, url string, n int) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	defer client.CloseIdleConnections()
	say := func(id, message string) (opened string) {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(message))
		if err != nil {
			b.Error(err)
			return ""
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if id != "" {
			r.Header.Set("Mcp-Session-Id", id)
			r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		}
		answer, err := client.Do(r)
		if err != nil {
			b.Error(err)
			return ""
		}
		defer answer.Body.Close()
		if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode >= 300 {
			b.Errorf("%s: %s %v", answer.Status, text, err)
		}
		return answer.Header.Get("Mcp-Session-Id")
	}
	numbers := make(chan int)
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range numbers {
				id := say("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"roots":{"listChanged":true}},"clientInfo":{"name":"bench","version":"1"}}}`)
				say(id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				say(id, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
			}
		})
	}
	for i := range n {
		if b.Failed() {
			break
		}
		numbers <- i
	}
	close(numbers)
	clients.Wait()
}
