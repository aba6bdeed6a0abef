package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
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
		return answer, err
	}
}

// caller is a client of one era that calls tools one after the other. When it is told that
// its session is no more, it begins a new one, as the protocol wants.
type caller struct {
	address  string
	legacy   bool
	session  string
	sessions int
	calls    atomic.Int64
}

// post sends a message and returns the status and what came back.
func (c *caller) post(message string) (*http.Response, gjson.Result, error) {
	q, err := http.NewRequest("POST", c.address, strings.NewReader(message))
	if err != nil {
		return nil, gjson.Result{}, err
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer t"} {
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
	if _, event, found := bytes.Cut(text, []byte("data: ")); found {
		text, _, _ = bytes.Cut(event, []byte("\n"))
	}
	return answer, gjson.ParseBytes(text), err
}

func (c *caller) begin() error {
	c.session = ""
	answer, result, err := c.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if err != nil {
		return err
	}
	if answer.StatusCode != 200 {
		return fmt.Errorf("initialize: %s %s", answer.Status, result.Raw)
	}
	c.session = answer.Header.Get("Mcp-Session-Id")
	c.sessions++
	answer, result, err = c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if err == nil && answer.StatusCode != 202 && answer.StatusCode != 404 {
		err = fmt.Errorf("initialized: %s %s", answer.Status, result.Raw)
	}
	return err
}

// call calls a tool once; the error is why that failed.
func (c *caller) call(n int) error {
	if c.legacy && c.session == "" {
		if err := c.begin(); err != nil {
			return err
		}
	}
	tool, arguments, want := "add", fmt.Sprintf(`{"a":%d}`, n), fmt.Sprintf(`{"sum":%d}`, n+1)
	if n%5 == 0 {
		tool, arguments, want = "slow", `{"ms":300}`, `{"slept":300}`
	}
	meta := ""
	if !c.legacy {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	answer, result, err := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, n+2, tool, arguments, meta))
	switch {
	case err != nil:
		return err
	case answer.StatusCode == 404 && c.legacy:
		c.session = "" // nothing was done
		return c.call(n)
	case answer.StatusCode != 200 || result.Get("result.content.0.text").Str != want:
		return fmt.Errorf("%s %s", answer.Status, result.Raw)
	}
	c.calls.Add(1)
	return nil
}

// TestServersComeAndGoWithoutAFailedCall: behind a balancer without stickiness, servers
// join and are told to stop while clients of both eras call tools, some of them slow.
func TestServersComeAndGoWithoutAFailedCall(t *testing.T) {
	t.Parallel()
	cluster := natstest.One(t, nil)
	start := func(n int) []replica { return replicas(t, cluster.ClientURL(), n, "--linger", "8s", "--drain", "1m") }
	all := start(2)
	b := &balancer{}
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
		c := &caller{address: front.URL + "/mcp", legacy: n%2 == 0}
		callers = append(callers, c)
		work.Go(func() {
			for n := 0; ; n++ {
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
