package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// balancer sends each request to the next server that is ready, as it knows from /readyz,
// and to another one if it cannot connect.
type balancer struct {
	mu    sync.Mutex
	all   []string // addresses
	ready []string
	turn  int
	made  map[string]int // requests that were answered, by address and version of the protocol
}

func (b *balancer) set(all ...replica) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = nil
	for _, r := range all {
		b.all = append(b.all, strings.TrimPrefix(r.url, "http://"))
	}
}

// probe asks every server.
func (b *balancer) probe() {
	b.mu.Lock()
	all := b.all
	b.mu.Unlock()
	var ready []string
	for _, host := range all {
		if answer, err := http.Get("http://" + host + "/readyz"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == 200 {
				ready = append(ready, host)
			}
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready = ready
}

func (b *balancer) next() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn++
	if len(b.ready) == 0 {
		return "127.0.0.1:1"
	}
	return b.ready[b.turn%len(b.ready)]
}

func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	for tries := 0; ; tries++ {
		r.URL.Host = b.next()
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer, err := http.DefaultTransport.RoundTrip(r)
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" && tries < 10 {
			continue
		}
		if err == nil {
			b.mu.Lock()
			b.made[r.URL.Host+r.Header.Get("Mcp-Protocol-Version")]++
			b.mu.Unlock()
		}
		return answer, err
	}
}

// answered returns how many requests of a version a server has answered.
func (b *balancer) answered(r replica, version string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.made[strings.TrimPrefix(r.url, "http://")+version]
}

// caller is a client of one era that calls tools one after the other. When it is told that
// its session is no more, it begins a new one, as the protocol wants.
type caller struct {
	address  string
	token    string // t if it is empty
	legacy   bool
	session  string
	sessions int
	messages int
	calls    atomic.Int64
}

// post sends a message and returns the status and what came back.
func (c *caller) post(ctx context.Context, message string) (*http.Response, gjson.Result, error) {
	q, err := http.NewRequestWithContext(ctx, "POST", c.address, strings.NewReader(message))
	if err != nil {
		return nil, gjson.Result{}, err
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + cmp.Or(c.token, "t")} {
		q.Header.Set(name, value)
	}
	if c.legacy {
		q.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		if c.session != "" {
			q.Header.Set("Mcp-Session-Id", c.session)
		}
	} else {
		m := gjson.Parse(message)
		q.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		q.Header.Set("Mcp-Method", m.Get("method").Str)
		q.Header.Set("Mcp-Name", m.Get("params.name").Str)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, gjson.Result{}, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	for line := range bytes.Lines(text) {
		// Notifications come before the answer.
		if event, found := bytes.CutPrefix(line, []byte("data: ")); found && !gjson.GetBytes(event, "method").Exists() {
			text = event
			break
		}
	}
	if !gjson.ValidBytes(text) { // words
		return answer, gjson.Result{Type: gjson.String, Str: string(text)}, err
	}
	return answer, gjson.ParseBytes(text), err
}

// turnedAway is an answer with another status than 200 to the beginning of a session.
type turnedAway int

func (r turnedAway) Error() string { return fmt.Sprint("initialize: status ", int(r)) }

func (c *caller) begin(ctx context.Context) error {
	c.session = ""
	answer, result, err := c.post(ctx, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if err != nil {
		return err
	}
	if answer.StatusCode != 200 {
		return turnedAway(answer.StatusCode)
	}
	c.session = answer.Header.Get("Mcp-Session-Id")
	c.sessions++
	answer, result, err = c.post(ctx, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if err == nil && answer.StatusCode != 202 && answer.StatusCode != 404 {
		err = fmt.Errorf("initialized: %s %s", answer.Status, result.Raw)
	}
	return err
}

// tool calls a tool once and returns the answer, whatever it is. A client that is told that
// its session is no more begins a new one: nothing was done.
func (c *caller) tool(ctx context.Context, name, arguments string) (*http.Response, gjson.Result, error) {
	if c.legacy && c.session == "" {
		if err := c.begin(ctx); err != nil {
			return nil, gjson.Result{}, err
		}
	}
	meta := ""
	if !c.legacy {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	c.messages++
	answer, result, err := c.post(ctx, callTool(c.messages, name, arguments, meta))
	if err == nil && answer.StatusCode == 404 && c.legacy {
		c.session = ""
		return c.tool(ctx, name, arguments)
	}
	return answer, result, err
}

// text is what the answer to a call says.
func text(said gjson.Result) string { return said.Get("result.content.0.text").Str }

// call calls a tool once; the error is why that failed. Tools are here, at a server that each
// gateway has, and at one that exists once.
func (c *caller) call(n int) error {
	tool, arguments, want := "add", fmt.Sprintf(`{"a":%d}`, n), fmt.Sprintf(`{"sum":%d}`, n+1)
	switch n % 5 {
	case 0:
		tool, arguments, want = "slow", `{"ms":300}`, `{"slept":300}`
	case 1:
		tool, arguments, want = "letter", `{}`, "this is letter"
	case 2:
		tool, arguments, want = "take", fmt.Sprintf(`{"id":%d}`, n), fmt.Sprintf(": %d <&> done", n)
	}
	answer, result, err := c.tool(context.Background(), tool, arguments)
	switch {
	case err != nil:
		return err
	case answer.StatusCode != 200 || !strings.HasSuffix(text(result), want):
		return fmt.Errorf("%s %s", answer.Status, result.Raw)
	}
	c.calls.Add(1)
	return nil
}

// TestServersComeAndGoWithoutAFailedCall: behind a balancer without stickiness, servers
// join and are told to stop while clients of both eras call tools, some of them slow, some of
// other people's servers, one of which exists once, with a token that the cluster keeps.
func TestServersComeAndGoWithoutAFailedCall(t *testing.T) {
	t.Parallel()
	cluster := natstest.One(t, nil)
	start := func(n int) []replica { return replicas(t, cluster.ClientURL(), n, "--linger", "8s", "--drain", "1m") }
	all := start(2)
	a, folder := all[0], t.TempDir()
	a.does("upstream", "add", "promise", "--env", "EFFECTS="+filepath.Join(folder, "effects"), "--", "promise-server")
	a.becomes(fmt.Sprint(papers+3, " tools"), "upstream", "test", "promise")
	a.does("upstream", "add", "once", "--singleton", "--env", "ONCE="+folder, "--", "once-server")
	a.becomes("1 tool", "upstream", "test", "once")
	for _, name := range []string{"promise", "once"} {
		a.does("pin", "approve", name, "--yes")
		a.does("expose", name, "--all")
	}
	token := gjson.Get(a.does("token", "create", "clients", "--json"), "token").Str
	for _, r := range all {
		r.answers(token, "letter", `{}`, "this is letter")
		r.answers(token, "take", `{"id":0}`, "taken by")
	}
	b := &balancer{made: map[string]int{}}
	b.set(all...)
	b.probe()
	probing := make(chan struct{})
	var probes sync.WaitGroup
	probes.Go(func() {
		for {
			select {
			case <-probing:
				return
			case <-time.After(100 * time.Millisecond):
				b.probe()
			}
		}
	})
	front := httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1, Transport: b, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "balanced"})
			r.Out.Host = r.In.Host
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { http.Error(w, err.Error(), 599) },
	})
	defer front.Close()
	var callers []*caller
	done := make(chan struct{})
	var work sync.WaitGroup
	for n := range 6 {
		c := &caller{address: front.URL + "/mcp", token: token, legacy: n%2 == 0}
		callers = append(callers, c)
		work.Go(func() {
			for n := range math.MaxInt {
				select {
				case <-done:
					return
				case <-time.After(20 * time.Millisecond): // leaves the machine to others
				}
				if err := c.call(n); err != nil {
					t.Errorf("legacy %v, call %d: %v", c.legacy, n, err)
					return
				}
			}
		})
	}
	// Everybody has called with the servers that are there now.
	called := func() {
		t.Helper()
		for _, c := range callers {
			for started, from := time.Now(), c.calls.Load(); c.calls.Load() < from+6; time.Sleep(10 * time.Millisecond) {
				if t.Failed() || time.Since(started) > time.Minute {
					t.Fatal("calls do not go on")
				}
			}
		}
	}
	called()
	for range 2 { // the oldest leaves, a new one comes
		all = append(all, start(1)...)
		b.set(all...)
		called()
		for _, version := range []string{"2025-11-25", "2026-07-28"} { // the new one answers both
			for started := time.Now(); b.answered(all[len(all)-1], version) < 12; time.Sleep(10 * time.Millisecond) {
				if t.Failed() || time.Since(started) > patience {
					t.Fatalf("the server that joined gets no calls: %s", all[len(all)-1].stderr)
				}
			}
		}
		if err := all[0].cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		select {
		case <-all[0].ended:
			if all[0].err != nil {
				t.Errorf("%v: %s", all[0].err, all[0].stderr)
			}
		case <-time.After(3 * time.Minute):
			t.Fatalf("it does not end: %s", all[0].stderr)
		}
		all = all[1:]
		called()
	}
	close(done)
	work.Wait()
	close(probing)
	probes.Wait()
	again := 0
	for _, c := range callers {
		if c.legacy {
			again += c.sessions - 1
		}
	}
	if again == 0 {
		t.Error("no session was on a server that left: the test shows nothing")
	}
}
