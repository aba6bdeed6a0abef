package upstream_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// legacyOnly is a server with sessions that keeps a stream for what it sends on its own.
// get answers the nth request for that stream.
type legacyOnly struct {
	discovered atomic.Int64
	gets       atomic.Int64
	get        func(n int64, w http.ResponseWriter, r *http.Request)
}

func (l *legacyOnly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a := asked{gjson.GetBytes(body, "id").Raw, gjson.GetBytes(body, "method").Str, gjson.GetBytes(body, "params")}
	switch {
	case r.Method == http.MethodGet && l.get != nil:
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		l.get(l.gets.Add(1), w, r)
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case a.method == "server/discover":
		l.discovered.Add(1)
		document{w}.message(`{"jsonrpc":"2.0","id":` + a.id + `,"error":{"code":-32601,"message":"no such method"}}`)
	case a.method == "initialize":
		w.Header().Set("Mcp-Session-Id", "s")
		document{w}.message(a.result(`"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true}}`))
	case a.id == "":
		w.WriteHeader(http.StatusAccepted)
	default:
		document{w}.message(ok(a))
	}
}

// A stream that was away and numbers no events may have missed a change, so one is told; a
// stream that is there for the first time tells none.
func TestAGapMayHideAChange(t *testing.T) {
	again := make(chan struct{})
	l := &legacyOnly{get: func(n int64, _ http.ResponseWriter, r *http.Request) {
		if n == 1 {
			<-again // and it breaks
			return
		}
		<-r.Context().Done()
	}}
	served := httptest.NewServer(l)
	t.Cleanup(func() { served.CloseClientConnections(); served.Close() })
	changes := make(chan upstream.Change, 10)
	o := options()
	o.Changed = func(c upstream.Change) { changes <- c }
	u := open(t, upstream.Config{Name: "l", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true, Era: "legacy"}, o)
	if _, err := u.Call(t.Context(), toolCall("fine", nil)); err != nil {
		t.Fatal(err)
	}
	if err := u.Subscribe(t.Context(), "test://a"); err != nil {
		t.Fatal(err)
	}
	until(t, "the stream is open", func() bool { return l.gets.Load() == 1 })
	if len(changes) > 0 {
		t.Errorf("before the gap: %+v", <-changes)
	}
	close(again)
	var tools, updated bool
	for !tools || !updated {
		select {
		case c := <-changes:
			tools, updated = tools || c.Tools, updated || c.Updated == "test://a"
			if c.Prompts || c.Reconnected {
				t.Errorf("%+v", c)
			}
		case <-time.After(patience):
			t.Fatal("nobody was told")
		}
	}
}

// What era a server speaks is not found out again after a restart, unless it has changed.
func TestTheEraIsRemembered(t *testing.T) {
	for hint, discovers := range map[string]int64{"": 1, "legacy": 0, "modern": 2, "nonsense": 1} {
		l := &legacyOnly{}
		served := httptest.NewServer(l)
		o := options()
		o.Era = func(name string) string { return strings.Repeat(hint, strings.Count(name, "l")) }
		u := open(t, upstream.Config{Name: "l", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true}, o)
		if got := outcome(u.Call(t.Context(), toolCall("fine", nil))); got != "ok" || l.discovered.Load() != discovers {
			t.Errorf("%q: %s, after server/discover was asked %d times, want %d", hint, got, l.discovered.Load(), discovers)
		}
		u.Close()
		served.Close()
	}
}

// A server that has forgotten every session it gives ends with an error, after few tries,
// and no call runs twice.
func TestForgetsEverySession(t *testing.T) {
	var begun, called atomic.Int64
	usual := &legacyOnly{}
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		switch gjson.GetBytes(body, "method").Str {
		case "initialize":
			begun.Add(1)
		case "tools/call":
			called.Add(1)
			http.Error(w, "no such session", http.StatusNotFound)
			return
		}
		usual.ServeHTTP(w, r)
	}))
	defer served.Close()
	u := open(t, upstream.Config{Name: "l", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true, Era: "legacy"}, options())
	for range 20 {
		if got := outcome(u.Call(t.Context(), toolCall("bad", nil))); got != "gone" && got != "unavailable" && got != "broken" {
			t.Errorf("it came to %q", got)
		}
	}
	if n := begun.Load(); n > 42 || called.Load() > 40 {
		t.Errorf("%d sessions and %d requests for 20 calls", n, called.Load())
	}
	u.Close()
	nothingLeft(t)
}
