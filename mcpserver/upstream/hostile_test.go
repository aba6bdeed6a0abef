package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// hostileWays are the transports that every script runs over.
var hostileWays = []string{"stdio legacy", "stdio modern", "json legacy", "json modern", "stream legacy", "stream modern", "sse legacy"}

// hostile starts a server with a script.
func hostile(t *testing.T, which, way string) upstream.Config {
	t.Helper()
	kind, era, _ := strings.Cut(way, " ")
	c := upstream.Config{Name: "hostile", Era: era, Offer: upstream.Offer{Elicitation: true}}
	if kind == "stdio" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c.Kind, c.Command, c.Env = upstream.Stdio, []string{self}, map[string]string{asServer: which}
		return c
	}
	c.Kind, c.AllowPrivate = upstream.HTTP, true
	var handler http.Handler
	switch kind {
	case "sse":
		c.Kind, handler = upstream.SSE, misbehaveOnSSE(which)
	default:
		handler = misbehaveOnHTTP(which, kind == "stream")
	}
	served := httptest.NewServer(handler)
	t.Cleanup(func() {
		served.CloseClientConnections()
		served.Close()
	})
	c.URL = served.URL
	return c
}

// shared says that all messages of a transport arrive on one stream.
func shared(way string) bool {
	return strings.HasPrefix(way, "stdio") || strings.HasPrefix(way, "sse")
}

// expectation is what the gateway says of a misbehaving server.
type expectation struct {
	shared, apart string // outcome where all messages share a stream, and where each request has its own
	dropped       string // counted as
	ways          string // only over ways that contain one of these words
	sse           string // outcome over SSE if it is not that of shared
}

var expectations = map[string]expectation{
	"wrong id":                            {"timeout", "broken protocol", "unknown id", "", ""},
	"text id":                             {"timeout", "broken protocol", "unknown id", "", ""},
	"null id":                             {"timeout", "broken protocol", "unknown id", "", ""},
	"answers twice":                       {"ok", "ok", "", "stdio stream sse", ""},
	"result and error":                    {"rpc", "rpc", "", "", ""},
	"neither":                             {"protocol", "protocol", "", "", ""},
	"list as result":                      {"protocol", "protocol", "", "", ""},
	"two results":                         {"timeout", "broken protocol", "no message", "", ""},
	"two result types":                    {"timeout", "broken protocol", "no message", "", ""},
	"too large":                           {"timeout", "protocol", "", "", "broken"}, // a line can be passed over
	"no end":                              {"broken", "broken protocol", "", "", ""},
	"invalid text":                        {"timeout", "broken protocol", "no message", "", ""},
	"deep":                                {"timeout", "broken protocol", "no message", "", ""},
	"deeper":                              {"timeout", "broken protocol", "no message", "", ""},
	"deep and open":                       {"timeout", "broken protocol", "", "", ""},
	"no number":                           {"timeout", "broken protocol", "no message", "", ""},
	"a large number":                      {"ok", "ok", "", "", ""},
	"a long number":                       {"ok", "ok", "", "", ""},
	"a member twice":                      {"ok", "ok", "", "", ""}, // package exposure reads the result
	"an earlier id":                       {"timeout", "broken protocol", "unknown id", "", ""},
	"a thousand ids":                      {"ok", "ok", "unknown id", "stdio stream sse", ""},
	"cancels our call":                    {"ok", "ok", "", "stdio stream sse", ""},
	"begins with us":                      {"ok", "ok", "", "stdio stream sse", ""},
	"the other era asks":                  {"ok", "ok broken protocol", "", "modern", ""},
	"endless comments":                    {"ok", "ok", "", "stdio stream sse", ""},
	"changes all the time":                {"ok", "ok", "", "stdio stream sse", ""},
	"leaves a child":                      {"broken", "", "", "stdio", ""},
	"cries without a line":                {"ok", "", "", "stdio", ""},
	"batch":                               {"timeout", "broken protocol", "batch", "", ""},
	"no JSON":                             {"timeout", "broken protocol", "no message", "", ""},
	"unproven":                            {"timeout", "broken protocol", "no message", "", ""},
	"bare control characters":             {"timeout", "broken protocol", "no message", "", ""},
	"control characters in ids and names": {"ok", "ok", "", "stdio stream sse", ""},
	"control characters in an error":      {"rpc", "rpc", "", "", ""},
	"chatter":                             {"ok", "ok", "no message", "stdio stream sse", ""},
	"flood":                               {"ok", "ok", "", "stdio stream sse", ""},
	"progress of others":                  {"ok", "ok", "wrong progress token", "stdio stream sse", ""},
	"drip":                                {"timeout", "timeout", "", "", ""},
	"silence":                             {"timeout", "broken protocol", "", "", ""},
	"dies":                                {"broken", "broken protocol", "", "", ""},
	"dies in the middle":                  {"broken", "broken protocol", "", "", ""},
	"asks what it was not offered":        {"ok", "ok", "", "stdio stream sse", ""},
	"asks in the other way":               {"protocol", "protocol", "", "", ""},
	"asks for ever":                       {"protocol", "protocol", "", "", ""},
	"asks too much":                       {"protocol", "protocol", "", "", ""},
	"asks twice in one name":              {"protocol", "protocol", "", "", ""},
	"is always busy":                      {"protocol unavailable", "protocol unavailable", "", "", ""},
}

// outcome names what a call came to.
func outcome(result json.RawMessage, err error) string {
	e, rpc := (*upstream.Error)(nil), (*upstream.RPCError)(nil)
	switch {
	case errors.As(err, &rpc):
		return "rpc"
	case errors.As(err, &e):
		return string(e.Kind)
	case err != nil:
		return err.Error()
	case json.Valid(result):
		return "ok"
	}
	return "no JSON"
}

func toolCall(name string, p upstream.Peer) upstream.Request {
	return upstream.Request{Method: "tools/call", Params: json.RawMessage(`{"name":"` + name + `"}`), Peer: p}
}

// late is a context whose deadline is when a channel is closed.
type late struct {
	context.Context
	over <-chan struct{}
}

func (l late) Done() <-chan struct{} { return l.over }

func (l late) Err() error {
	select {
	case <-l.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// Whatever a server does to a call, the gateway says what it was, serves the next call,
// and other servers notice nothing.
func TestHostileCalls(t *testing.T) {
	files := openFiles(t)
	t.Cleanup(func() { // the last one to run
		until(t, "all files closed", func() bool { return openFiles(t) <= files })
	})
	good := open(t, configOf(t, "http", "legacy", nil), options())
	for name, want := range expectations {
		for _, way := range hostileWays {
			if want.ways != "" && !slices.ContainsFunc(strings.Fields(want.ways), func(w string) bool { return strings.Contains(way, w) }) {
				continue
			}
			t.Run(name+" over "+way, func(t *testing.T) {
				u := open(t, hostile(t, name, way), options())
				if _, err := u.Call(t.Context(), toolCall("fine", nil)); err != nil {
					t.Fatal(err)
				}
				p := &peer{can: func(method string) bool { return method == "elicitation/create" }}
				expected := want.apart
				if shared(way) {
					expected = want.shared
				}
				if strings.HasPrefix(way, "sse") && want.sse != "" {
					expected = want.sse
				}
				ctx, cancel := context.WithCancel(t.Context())
				if expected == "timeout" {
					// It never answers. To give up on one that comes to an end would leave
					// its end to the next call on the same connection.
					running, counted := ctx, make(chan struct{})
					ctx = late{ctx, counted}
					go func() {
						defer close(counted)
						for n := 0; running.Err() == nil && (n < 50 || want.dropped != "" && u.Status().Dropped[want.dropped] == 0); n++ {
							time.Sleep(5 * time.Millisecond)
						}
					}()
				}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				result, err := u.Call(ctx, toolCall("bad", p))
				cancel()
				// The longest message is 8 MiB, read into a buffer that grows.
				runtime.ReadMemStats(&after)
				if taken := after.TotalAlloc - before.TotalAlloc; strings.HasPrefix(way, "stdio") && taken > 64<<20 {
					t.Errorf("%d MiB were allocated for it", taken>>20)
				}
				if got := outcome(result, err); !slices.Contains(strings.Fields(expected), got) {
					t.Errorf("%s, want %s: %v", got, expected, err)
				}
				if err != nil && len(err.Error()) > 6<<10 {
					t.Errorf("the error has %d bytes", len(err.Error()))
				}
				if want.dropped != "" { // a loaded machine may read it after the call was given up
					until(t, want.dropped, func() bool { return u.Status().Dropped[want.dropped] > 0 })
				}
				if len(p.heard) > 0 && name != "flood" {
					t.Errorf("the client heard %q", p.heard)
				}
				if got := call(t, good, nil, "echo", `{"text":"still here"}`); got != "still here" {
					t.Errorf("another server says %q", got)
				}
				if name == "drip" && shared(way) { // nothing else fits through while a message drips; see TestDrip
					ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
				} else {
					ctx, cancel = context.WithCancel(t.Context())
				}
				if got := outcome(u.Call(ctx, toolCall("fine", nil))); got != "ok" && ctx.Err() == nil {
					t.Errorf("afterwards: %s", got)
				}
				cancel()
				u.Close()
				nothingLeft(t)
			})
		}
	}
}

// openFiles counts the file descriptors of this process, where that can be done.
func openFiles(t *testing.T) int {
	t.Helper()
	if r, w, err := os.Pipe(); err == nil { // from the first use on, the runtime's poller has files of its own
		r.Close()
		w.Close()
	}
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil && runtime.GOOS == "linux" {
		t.Fatal(err)
	}
	return len(all)
}

// nothingLeft waits until no goroutine of the packages runs, but for those of the
// connections of other tests' servers.
func nothingLeft(t *testing.T) {
	t.Helper()
	var left []string
	for started := time.Now(); time.Since(started) < patience; time.Sleep(10 * time.Millisecond) {
		left = nil
		stacks := make([]byte, 4<<20)
		for _, g := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(g, "mcpserver/upstream/session.") || strings.Contains(g, "mcpserver/upstream/transport.") || strings.Contains(g, "mcpserver/upstream.") {
				left = append(left, g)
			}
		}
		if len(left) <= 2 { // the good server's: its stream of events, and the draining of a body
			return
		}
	}
	t.Errorf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
}
