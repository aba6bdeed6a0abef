package upstream_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// bomb is 64 MiB of space in 64 KiB.
func bomb() []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(make([]byte, 64<<20))
	_ = w.Close()
	return out.Bytes()
}

// What HTTP itself can be misused for. The handlers see only calls of the tool "bad".
func TestHostileHTTP(t *testing.T) {
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	big := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct {
		act  http.HandlerFunc
		want string
		ran  bool // the error says that the call may have run
	}{
		"a gzip bomb": {func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.Header.Get("Accept-Encoding"), "identity") {
				t.Error("it accepts an encoding")
			}
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(bomb())
		}, "protocol", true},
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, big)
		}, "protocol", true},
		"no type": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "{}")
		}, "protocol", true},
		"nothing": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }, "protocol", true},
		"status 500": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, big)
		}, "unavailable", true},
		"status 418": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, big)
		}, "unavailable", false},
		"status 401": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "unauthorized", false},
		"status 429": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "99999999")
			w.WriteHeader(http.StatusTooManyRequests)
		}, "unavailable", false},
		"another origin": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, "unavailable", false},
		"a redirect that drops the message": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", http.StatusFound) }, "unavailable", false},
		"redirects for ever": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/x"+r.URL.Path, http.StatusPermanentRedirect)
		}, "protocol", false},
		"a redirect to no URL": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://[::1")
			w.WriteHeader(http.StatusPermanentRedirect)
		}, "unavailable", false},
		"huge headers": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", big) }, "broken", true},
		"a long event": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 20 {
				_, _ = io.WriteString(w, "data: "+big+"\n")
			}
		}, "protocol", true},
		"a long comment": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, ":")
			for range 20 {
				_, _ = io.WriteString(w, big)
			}
		}, "protocol", true},
		"an escape in the type": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/\x1b[2Jhtml")
			_, _ = io.WriteString(w, "{}")
		}, "broken", true},
		"an escape in the encoding": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "\x1b[2J")
			_, _ = io.WriteString(w, "{}")
		}, "broken", true},
		"an escape in a redirect": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://\x1b[2J.example/")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, "broken", true},
		"escapes in a refusal": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "\x1b[2J\x00\r\nno\x07")
		}, "unauthorized", false},
		"a session for a call": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Mcp-Session-Id", "stolen")
			w.Header().Set("Content-Type", "application/json")
			body, _ := io.ReadAll(r.Body)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+gjson.GetBytes(body, "id").Raw+`,"result":{}}`)
		}, "ok", false},
	} {
		for _, era := range []string{"legacy", "modern"} {
			t.Run(name+" "+era, func(t *testing.T) {
				usual := misbehaveOnHTTP("", false)
				served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					r.Body = io.NopCloser(bytes.NewReader(body))
					if gjson.GetBytes(body, "params.name").Str == "bad" {
						c.act(w, r)
						return
					}
					if r.Header.Get("Mcp-Session-Id") != "" {
						t.Error("it took a session from another answer than that to initialize")
					}
					usual.ServeHTTP(w, r)
				}))
				defer served.Close()
				u := open(t, upstream.Config{Name: "h", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true, Era: era}, options())
				result, err := u.Call(t.Context(), toolCall("bad", nil))
				if got := outcome(result, err); got != c.want {
					t.Errorf("%s, want %s: %v", got, c.want, err)
				}
				if err != nil {
					if strings.ContainsFunc(err.Error(), unicode.IsControl) {
						t.Errorf("control characters in the error: %q", err)
					}
					if len(err.Error()) > 3<<10 {
						t.Errorf("the error has %d bytes", len(err.Error()))
					}
					if e, _ := err.(*upstream.Error); e == nil || e.MayHaveRun != c.ran {
						t.Errorf("may have run is wrong: %v", err)
					}
				}
				if got := outcome(u.Call(t.Context(), toolCall("fine", nil))); got != "ok" {
					t.Errorf("afterwards: %s", got)
				}
				u.Close()
				nothingLeft(t)
			})
		}
	}
	if elsewhere.Load() > 0 {
		t.Error("another origin got a request")
	}
}

// Only the answer to initialize names a session, and only with an id that can be sent
// back. What other answers say about one changes nothing.
func TestTheIDOfASession(t *testing.T) {
	for _, stream := range []bool{false, true} {
		for _, first := range []string{"first", "\x1b[2J", "a\x7fb", "a b", "\u00e9", "a\x01", strings.Repeat("s", 2<<10)} {
			t.Run(fmt.Sprintf("%.8q stream %v", first, stream), func(t *testing.T) {
				usual := misbehaveOnHTTP("", stream)
				var sent []string
				var mu sync.Mutex
				served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					r.Body = io.NopCloser(bytes.NewReader(body))
					mu.Lock()
					defer mu.Unlock()
					if gjson.GetBytes(body, "method").Str == "initialize" {
						w.Header()["Mcp-Session-Id"] = []string{first}
					} else {
						sent = append(sent, r.Method+" "+r.Header.Get("Mcp-Session-Id"))
						w.Header().Set("Mcp-Session-Id", fmt.Sprint("changed ", len(sent)))
					}
					usual.ServeHTTP(w, r)
				}))
				defer served.Close()
				u := open(t, upstream.Config{Name: "h", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true, Era: "legacy"}, options())
				want := "protocol broken unavailable" // the parser of headers refuses most; then nothing is tried for a moment
				if first == "first" {
					want = "ok"
				}
				for range 3 {
					result, err := u.Call(t.Context(), toolCall("fine", nil))
					if got := outcome(result, err); !strings.Contains(want, got) {
						t.Errorf("%s, want %s: %v", got, want, err)
					}
					if err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl) {
						t.Errorf("control characters in the error: %q", err)
					}
				}
				u.Close()
				mu.Lock()
				defer mu.Unlock()
				if want != "ok" && len(sent) > 0 {
					t.Errorf("it went on without a session: %q", sent)
				}
				if want == "ok" && !slices.Contains(sent, "DELETE first") {
					t.Errorf("its session was not ended: %q", sent)
				}
				for _, request := range sent {
					if !strings.HasSuffix(request, " first") {
						t.Errorf("%q took an id from another answer than that to initialize", request)
					}
				}
				nothingLeft(t)
			})
		}
	}
}

// What is private is reached only when the operator says so.
func TestPrivateAddresses(t *testing.T) {
	served := httptest.NewServer(misbehaveOnHTTP("", false))
	defer served.Close()
	for _, kind := range []string{upstream.HTTP, upstream.SSE} {
		u := open(t, upstream.Config{Name: "h", Kind: kind, URL: served.URL}, options())
		_, err := u.Call(t.Context(), toolCall("fine", nil))
		if outcome(nil, err) != "unavailable" || !strings.Contains(err.Error(), "--allow-private") {
			t.Error(err)
		}
	}
}

// A server that forgot its session gets a new one, and the call that found out runs once.
func TestForgottenSession(t *testing.T) {
	for _, forgets := range []int{http.StatusNotFound, http.StatusBadRequest} {
		var sessions, calls atomic.Int64
		var mu sync.Mutex
		var ended []string
		usual := misbehaveOnHTTP("", true)
		served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			id := r.Header.Get("Mcp-Session-Id")
			switch method := gjson.GetBytes(body, "method").Str; {
			case r.Method == http.MethodDelete:
				mu.Lock()
				defer mu.Unlock()
				ended = append(ended, id)
				return
			case method == "initialize":
				w.Header().Set("Mcp-Session-Id", []string{"", "first", "second", "third"}[sessions.Add(1)])
			case id == "first" && method == "tools/call" && calls.Add(1) > 1:
				http.Error(w, "Bad Request: No valid session ID provided", forgets)
				return
			}
			usual.ServeHTTP(w, r)
		}))
		changed := make(chan upstream.Change, 10)
		o := options()
		o.Changed = func(c upstream.Change) { changed <- c }
		u := open(t, upstream.Config{Name: "h", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true, Era: "legacy"}, o)
		for range 3 {
			if got := outcome(u.Call(t.Context(), toolCall("fine", nil))); got != "ok" {
				t.Error(got)
			}
		}
		if sessions.Load() != 2 || u.Status().Starts != 2 {
			t.Errorf("%d sessions", sessions.Load())
		}
		if c := <-changed; !c.Reconnected || !c.Tools || c.Upstream != "h" {
			t.Errorf("%+v", c)
		}
		u.Close()
		served.Close()
		mu.Lock()
		if !slices.Contains(ended, "second") {
			t.Errorf("the sessions %q were ended", ended)
		}
		mu.Unlock()
	}
}
