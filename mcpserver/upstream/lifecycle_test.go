package upstream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// patience is for what must happen, on a machine that has other things to do as well.
const patience = 2 * time.Minute

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for started := time.Now(); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Since(started) > patience {
			t.Fatalf("not after %v: %s", patience, what)
		}
	}
}

// A call whose client went away is cancelled at the server, and costs no place.
func TestCancellation(t *testing.T) {
	for _, way := range ways {
		if way.name == "stdio" {
			continue // the server is another process; see TestHostileCalls for what comes late
		}
		t.Run(way.name+" "+way.era, func(t *testing.T) {
			told := make(chan string, 10)
			u := open(t, configOf(t, way.name, way.era, told), options())
			call(t, u, nil, "echo", `{"text":"connect"}`)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := u.Call(ctx, upstream.Request{Method: "tools/call", Params: json.RawMessage(`{"name":"wait","arguments":{}}`)})
				done <- err
			}()
			<-told // it has to be there to be cancelled
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			select {
			case <-told:
			case <-time.After(patience):
				t.Error("the server did not hear of it")
			}
			if s := u.Status(); s.Running != 0 || s.Breaker != upstream.Closed {
				t.Errorf("%+v", s)
			}
			if got := call(t, u, nil, "echo", `{"text":"next"}`); got != "next" {
				t.Error(got)
			}
		})
	}
}

// A change of a list and of a resource is heard, and listing anew shows it.
func TestChanges(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name+" "+way.era, func(t *testing.T) {
			t.Parallel()
			changes := make(chan upstream.Change, 100)
			o := options()
			o.Changed = func(c upstream.Change) { changes <- c }
			u := open(t, configOf(t, way.name, way.era, nil), o)
			before, err := u.Surface(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := u.Subscribe(t.Context(), "test://a"); err != nil {
				t.Fatal(err)
			}
			heard := func(what string, is func(upstream.Change) bool) {
				t.Helper()
				deadline := time.After(patience)
				again := time.NewTicker(200 * time.Millisecond) // the subscription may still be on its way
				defer again.Stop()
				for {
					select {
					case c := <-changes:
						if c.Upstream != u.Name() {
							t.Fatalf("%+v", c)
						}
						if is(c) {
							return
						}
					case <-again.C:
						call(t, u, nil, what, `{}`)
					case <-deadline:
						t.Fatalf("no change after %s", what)
					}
				}
			}
			heard("touch", func(c upstream.Change) bool { return c.Updated == "test://a" })
			// A subscription that takes the place of another tells every list, since a change
			// in between was heard by nobody. What the tool does changes one list.
			heard("grow", func(c upstream.Change) bool { return c.Tools && !c.Resources && !c.Reconnected })
			after, err := u.Refresh(t.Context())
			if err != nil || len(after.Tools) != len(before.Tools)+1 {
				t.Errorf("%d tools, %v", len(after.Tools), err)
			}
			if err := u.Unsubscribe(t.Context(), "test://a"); err != nil {
				t.Error(err)
			}
		})
	}
}

// An argument that a schema wants in a header is there, also if the tools were not listed.
func TestArgumentsInHeaders(t *testing.T) {
	for _, region := range []string{"eu", "Zürich ", "=?base64?x?="} {
		u := open(t, configOf(t, "http-stateless", "modern", nil), options())
		quoted, _ := json.Marshal(region)
		if got := call(t, u, nil, "header", `{"region":`+string(quoted)+`}`); got == "" {
			t.Errorf("%q is not in the header", region)
		}
	}
}

// A stream that its server closes before the answer is taken up.
func TestResumption(t *testing.T) {
	u := open(t, configOf(t, "http", "legacy", nil), options())
	if got := call(t, u, nil, "break off", `{}`); got != "taken up" {
		t.Error(got)
	}
}

// Answers find their requests, however many there are.
func TestManyCalls(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name+" "+way.era, func(t *testing.T) {
			c := configOf(t, way.name, way.era, nil)
			c.Concurrency = 8
			u := open(t, c, options())
			var group sync.WaitGroup
			for i := range 24 {
				group.Go(func() {
					for j := range 10 {
						want := fmt.Sprintf("%d/%d", i, j)
						if got := call(t, u, &peer{}, "echo", `{"text":"`+want+`"}`); got != want {
							t.Errorf("%s, want %s", got, want)
						}
					}
				})
			}
			group.Wait()
			if s := u.Status(); s.Starts != 1 || s.Running+s.Waiting != 0 || len(s.Dropped) > 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// What may have run is not sent again and says so; what only reads is.
func TestNothingRunsTwice(t *testing.T) {
	var calls, reads atomic.Int64
	usual := misbehaveOnHTTP("", false)
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("Mcp-Method") {
		case "tools/call":
			calls.Add(1)
			panic(http.ErrAbortHandler)
		case "resources/read":
			if reads.Add(1) == 1 {
				panic(http.ErrAbortHandler)
			}
		}
		usual.ServeHTTP(w, r)
	}))
	defer served.Close()
	u := open(t, upstream.Config{Name: "h", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true, Era: "modern"}, options())
	_, err := u.Call(t.Context(), toolCall("x", nil))
	e := (*upstream.Error)(nil)
	if !errors.As(err, &e) || !e.MayHaveRun || e.Kind != upstream.Broken || !strings.Contains(err.Error(), "may have run") || calls.Load() != 1 {
		t.Errorf("%d calls: %v", calls.Load(), err)
	}
	if _, err := u.Call(t.Context(), upstream.Request{Method: "resources/read", Params: json.RawMessage(`{"uri":"a"}`)}); err != nil || reads.Load() != 2 {
		t.Errorf("%d reads: %v", reads.Load(), err)
	}
	served.Close()
	u = open(t, upstream.Config{Name: "h", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true}, options())
	_, err = u.Call(t.Context(), toolCall("x", nil))
	if !errors.As(err, &e) || e.MayHaveRun || e.Kind != upstream.Unavailable {
		t.Error(err) // nothing was sent
	}
}

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// A process that dies is started again when it is needed; one that dies each time waits
// longer and longer, and the error says how long.
func TestRestart(t *testing.T) {
	o, now := options(), &clock{now: time.Unix(1e9, 0)}
	o.Now, o.Jitter = now.Now, func() float64 { return 0 }
	u := open(t, hostile(t, "dies", "stdio legacy"), o)
	fails := func(kind upstream.Kind) (e *upstream.Error) {
		t.Helper()
		if _, err := u.Call(t.Context(), toolCall("bad", nil)); !errors.As(err, &e) || e.Kind != kind {
			t.Fatalf("%v, want %s", err, kind)
		}
		return e
	}
	for range 4 {
		fails(upstream.Broken)
	}
	if got := outcome(u.Call(t.Context(), toolCall("fine", nil))); got != "ok" || u.Status().Starts != 5 {
		t.Fatalf("%s after %d starts", got, u.Status().Starts)
	}
	for range 5 {
		fails(upstream.Broken)
	}
	for wait := time.Second; wait < 20*time.Second; wait *= 2 {
		if s := u.Status(); s.Breaker != upstream.Open || !s.NextTry.Equal(now.Now().Add(wait)) || s.Reason == "" {
			t.Fatalf("%+v", s)
		}
		if e := fails(upstream.Unavailable); e.MayHaveRun || !e.RetryAt.Equal(now.Now().Add(wait)) {
			t.Fatalf("%+v", e)
		}
		now.advance(wait)
		if s := u.Status(); s.Breaker != upstream.HalfOpen {
			t.Fatalf("%+v", s)
		}
		fails(upstream.Broken)
	}
	now.advance(time.Hour)
	if got := outcome(u.Call(t.Context(), toolCall("fine", nil))); got != "ok" || u.Status().Breaker != upstream.Closed || u.Status().Reason != "" {
		t.Errorf("%s: %+v", got, u.Status())
	}
}

// A server that does not answer fills its own places and no other's, and is asked for a
// sign of life before it is given up.
func TestBusy(t *testing.T) {
	c := hostile(t, "silence", "stdio legacy")
	c.Concurrency = 1
	u := open(t, c, options())
	good := open(t, configOf(t, "http", "legacy", nil), options())
	if err := errors.Join(u.Check(t.Context()), good.Check(t.Context())); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	results := make(chan string, 10)
	for range 6 { // one runs, four wait, one too many
		go func() { results <- outcome(u.Call(ctx, toolCall("bad", nil))) }()
	}
	if got := <-results; got != "busy" {
		t.Error(got)
	}
	until(t, "one runs and four wait", func() bool {
		s := u.Status()
		return s.Running == 1 && s.Waiting == 4
	})
	if got := call(t, good, nil, "echo", `{"text":"quick"}`); got != "quick" {
		t.Error(got)
	}
	cancel()
	for range 5 {
		if got := <-results; got != context.Canceled.Error() && got != "busy" { // busy if it waited for 10 s
			t.Error(got)
		}
	}
	c.Timeout = upstream.Duration(time.Second)
	u = open(t, c, options())
	until(t, "connected", func() bool { return u.Check(t.Context()) == nil })
	for range 5 {
		go func() { results <- outcome(u.Call(t.Context(), toolCall("bad", nil))) }()
	}
	for range 5 {
		if got := <-results; got != "timeout" && got != "busy" {
			t.Error(got)
		}
	}
	if s := u.Status(); s.Breaker != upstream.Closed { // it answers pings
		t.Errorf("%+v", s)
	}
}

// Values of ${VAR} reach the server and are known to the masker; what is not set is named.
func TestSecrets(t *testing.T) {
	var got atomic.Value
	usual := misbehaveOnHTTP("", false)
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.Header.Get("Authorization"))
		usual.ServeHTTP(w, r)
	}))
	defer served.Close()
	c := upstream.Config{Name: "h", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true, Headers: map[string]string{"Authorization": "Bearer ${TOKEN}", "X-Api-Key": "written-out-1234"}}
	o := options()
	o.Lookup = func(name string) (string, bool) { return "tok-${TOKEN}-en", name == "TOKEN" }
	u := open(t, c, o)
	if out := outcome(u.Call(t.Context(), toolCall("fine", nil))); out != "ok" || got.Load() != "Bearer tok-${TOKEN}-en" {
		t.Errorf("%s with %q", out, got.Load())
	}
	if masked := u.Secrets().String("a tok-${TOKEN}-en b written-out-1234"); masked != "a *** b ***" {
		t.Error(masked)
	}
	_, err := open(t, c, options()).Call(t.Context(), toolCall("fine", nil))
	if err == nil || !strings.Contains(err.Error(), "Authorization needs ${TOKEN}") {
		t.Error(err)
	}
}

// The client's own progress token, identity and version never reach a server; the rest of
// its _meta does.
func TestMetaOfTheClient(t *testing.T) {
	for _, era := range []string{"legacy", "modern"} {
		var params atomic.Value
		usual := misbehaveOnHTTP("", false)
		served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body := new(strings.Builder)
			r.Body = teeBody{r.Body, body}
			usual.ServeHTTP(w, r)
			if gjson.Get(body.String(), "method").Str == "tools/call" {
				params.Store(gjson.Get(body.String(), "params").Raw)
			}
		}))
		u := open(t, upstream.Config{Name: "h", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true, Era: era}, options())
		_, err := u.Call(t.Context(), upstream.Request{Method: "tools/call", Peer: &peer{}, Params: json.RawMessage(`{ "name" : "a", "_meta":{"progressToken":"theirs","traceparent":"00-1","io.modelcontextprotocol/clientInfo":{"name":"theirs"}},"arguments":{"n":1.0e2}}`)})
		if err != nil {
			t.Fatal(err)
		}
		got := params.Load().(string)
		if strings.Contains(got, "theirs") || !strings.Contains(got, `"traceparent":"00-1"`) || !strings.Contains(got, `"arguments":{"n":1.0e2}`) || strings.Contains(got, "protocolVersion") != (era == "modern") {
			t.Errorf("%s: %s", era, got)
		}
		u.Close()
		served.Close()
	}
}

// What a server lists is kept for as long as it says, and then asked for anew.
func TestListsHoldAsLongAsTheServerSays(t *testing.T) {
	for _, ttl := range []string{"60000", "1e300", "-5", `"60000"`, "0"} {
		var lists atomic.Int64
		usual := misbehaveOnHTTP("", false)
		served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Mcp-Method") != "tools/list" {
				usual.ServeHTTP(w, r)
				return
			}
			lists.Add(1)
			var body struct{ ID json.RawMessage }
			_ = json.NewDecoder(r.Body).Decode(&body)
			document{w}.message(`{"jsonrpc":"2.0","id":` + string(body.ID) + `,"result":{"tools":[],"ttlMs":` + ttl + `}}`)
		}))
		o, now := options(), &clock{now: time.Unix(1e9, 0)}
		o.Now = now.Now
		u := open(t, upstream.Config{Name: "h", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true, Era: "modern"}, o)
		want := int64(1)
		for _, wait := range []time.Duration{0, time.Minute, time.Second, 24 * time.Hour} {
			now.advance(wait)
			if wait == time.Second && ttl == "60000" || wait == 24*time.Hour && (ttl == "60000" || ttl == "1e300") {
				want++
			}
			if _, err := u.Surface(t.Context()); err != nil || lists.Load() != want {
				t.Errorf("ttl %s, after %v: listed %d times, want %d: %v", ttl, wait, lists.Load(), want, err)
			}
		}
		u.Close()
		served.Close()
	}
}

// Requests that take too long are no failure of a server that lives.
func TestSlowRequestsOpenNoBreaker(t *testing.T) {
	c := hostile(t, "silence", "stdio legacy")
	c.Timeout = upstream.Duration(50 * time.Millisecond)
	u := open(t, c, options())
	until(t, "connected", func() bool { return u.Check(t.Context()) == nil })
	for range 8 {
		if got := outcome(u.Call(t.Context(), toolCall("bad", nil))); got != "timeout" {
			t.Error(got)
		}
	}
	if s := u.Status(); s.Breaker != upstream.Closed || s.Starts != 1 {
		t.Errorf("%+v", s)
	}
}

// Progress that comes on the stream of one call in the name of another is nobody's.
func TestProgressInAnothersName(t *testing.T) {
	first := make(chan string, 1)
	release := make(chan struct{})
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") != "tools/call" {
			misbehaveOnHTTP("", false).ServeHTTP(w, r)
			return
		}
		body := new(strings.Builder)
		_, _ = io.Copy(body, r.Body)
		m := gjson.Parse(body.String())
		out := newEvents(w)
		if m.Get("params.name").Str == "victim" {
			first <- m.Get("params._meta.progressToken").Raw
			<-release
		} else {
			out.message(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + <-first + `,"progress":1}}`)
		}
		out.message(`{"jsonrpc":"2.0","id":` + m.Get("id").Raw + `,"result":{}}`)
	}))
	defer served.Close()
	u := open(t, upstream.Config{Name: "h", Kind: upstream.HTTP, URL: served.URL, AllowPrivate: true, Era: "modern"}, options())
	victim, other := &peer{}, &peer{}
	done := make(chan string)
	go func() { done <- outcome(u.Call(t.Context(), toolCall("victim", victim))) }()
	if got := outcome(u.Call(t.Context(), toolCall("other", other))); got != "ok" {
		t.Error(got)
	}
	close(release)
	if got := <-done; got != "ok" || len(victim.heard)+len(other.heard) > 0 || u.Status().Dropped["wrong progress token"] != 1 {
		t.Errorf("%s, heard %q and %q, dropped %v", got, victim.heard, other.heard, u.Status().Dropped)
	}
}
