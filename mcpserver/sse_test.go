package mcpserver_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// oldHTTP serves the transport of 2024-11-05.
func (f *fixture) oldHTTP(t testing.TB, change func(*mcpserver.HTTP)) string {
	t.Helper()
	token, err := mcpserver.NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	h := mcpserver.HTTP{Token: token, SSE: true}
	if change != nil {
		change(&h)
	}
	return f.endpoint(t, h)
}

func overSSE(t testing.TB, url, token string) *mcp.ClientSession {
	t.Helper()
	return connect(t, "2024-11-05", &mcp.SSEClientTransport{Endpoint: url + "/sse", HTTPClient: &http.Client{Transport: bearer(token)}}, nil)
}

func TestOldTransport(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	url := f.oldHTTP(t, nil)
	client := overSSE(t, url, secret)
	if result := call(t, client, "add", `{"a":1,"b":2}`); textOf(t, result) != `{"sum":3}` {
		t.Error(textOf(t, result))
	}
	if got := f.records(t); len(got) != 1 || !strings.HasPrefix(got[0].Caller, "token:") {
		t.Errorf("the record: %+v", got)
	}
	if r := ask(t, "GET", f.http(t).URL+"/sse", ""); r.StatusCode != http.StatusNotFound {
		t.Errorf("it is served although nobody wanted it: %s", r.Status)
	}
}

// TestOldTransportIsGuarded: it has the same checks as /mcp.
func TestOldTransportIsGuarded(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	i := newIssuer(t)
	url := f.oldHTTP(t, func(h *mcpserver.HTTP) { h.OAuth = i.guard(t) })
	endpoint, lines := openStream(t, url, "Bearer "+secret)
	for _, row := range []struct {
		name, method string
		want         int
		headers      []string
	}{
		{"no token", "GET", 401, []string{"Authorization", ""}},
		{"another token", "GET", 401, []string{"Authorization", "Bearer x"}},
		{"a name that was rebound", "GET", 403, []string{"Host", "evil.example"}},
		{"another origin", "GET", 403, []string{"Origin", "http://evil.example"}},
		{"no token", "POST", 401, []string{"Authorization", ""}},
		{"another origin", "POST", 403, []string{"Origin", "http://evil.example"}},
		{"another principal that knows the id", "POST", 404, []string{"Authorization", "Bearer " + i.token(t, "mallory", "", nil)}},
		{"another media type", "POST", 415, []string{"Content-Type", "text/plain"}},
		{"another method", "DELETE", 405, nil},
		{"the owner", "POST", 202, nil},
	} {
		path := "/sse"
		if row.method == "POST" {
			path = endpoint
		}
		if r := ask(t, row.method, url+path, initialize, row.headers...); r.StatusCode != row.want {
			t.Errorf("%s %s: %s, want %d", row.method, row.name, r.Status, row.want)
		}
	}
	if r := ask(t, "POST", url+"/sse?sessionid=guess", initialize); r.StatusCode != http.StatusNotFound {
		t.Error(r.Status)
	}
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"result"`) {
			return // one answer: to the owner
		}
	}
	t.Error("the owner was not answered")
}

// openStream opens a stream and returns where to post.
func openStream(t testing.TB, url, authorization string) (endpoint string, lines *bufio.Scanner) {
	t.Helper()
	r := ask(t, "GET", url+"/sse", "", "Authorization", authorization)
	if r.StatusCode != 200 {
		t.Fatal(r.Status)
	}
	lines = bufio.NewScanner(r.Body)
	for lines.Scan() {
		if at, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return at, lines
		}
	}
	t.Fatal("no endpoint")
	return "", nil
}

// TestOldStreamsAreBounded in number and in time.
func TestOldStreamsAreBounded(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Sessions: 2}}, add)
	url := f.oldHTTP(t, nil)
	openStream(t, url, "Bearer "+secret)
	openStream(t, url, "Bearer "+secret)
	if r := ask(t, "GET", url+"/sse", ""); r.StatusCode == 200 {
		t.Error("a third stream")
	}
	f = newFixture(t, mcpserver.Config{Limits: admission.Limits{Sessions: 1}}, add)
	url = f.oldHTTP(t, func(h *mcpserver.HTTP) { h.SessionTimeout = 100 * time.Millisecond })
	_, first := openStream(t, url, "Bearer "+secret)
	for first.Scan() {
	} // ends by itself
	for start := time.Now(); ask(t, "GET", url+"/sse", "").StatusCode != 200; {
		if time.Since(start) > enough {
			t.Fatal("a stream that ended keeps its place")
		}
	}
}

// TestDrainOverOldTransport: a call that is under way is answered before its
// stream ends.
func TestDrainOverOldTransport(t *testing.T) {
	for range 5 { // an answer that is lost is lost by chance
		slow := tool("slow", "await new Promise(done => setTimeout(done, 50)); return 'done';", "")
		f := newFixture(t, mcpserver.Config{ProgressEvery: time.Millisecond}, slow)
		url := f.oldHTTP(t, nil)
		endpoint, lines := openStream(t, url, "Bearer "+secret)
		ask(t, "POST", url+endpoint, initialize)
		ask(t, "POST", url+endpoint, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		ask(t, "POST", url+endpoint, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":1}}}`)
		answered := false
		for lines.Scan() {
			if strings.Contains(lines.Text(), "notifications/progress") {
				go f.server.Drain(context.Background())
			}
			answered = answered || strings.Contains(lines.Text(), `"text":"\"done\""`)
		}
		if !answered {
			t.Fatal("the call was not answered")
		}
	}
}
