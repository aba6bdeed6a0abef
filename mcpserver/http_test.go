package mcpserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/internal/riskcontract"
	"github.com/glovebox-run/glovebox/risk/contract"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// ask sends one request to an endpoint; headers are name and value in turn.
func ask(t testing.TB, method, url, body string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+secret)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

func TestWhoIsLetIn(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	endpoint := f.http(t)
	own := strings.TrimPrefix(endpoint.URL, "http://")
	for _, row := range []struct {
		name    string
		want    int
		headers []string
	}{
		{"the token", 200, nil},
		{"the scheme in lower case", 200, []string{"Authorization", "bearer " + secret}},
		{"no token", 401, []string{"Authorization", ""}},
		{"another token", 401, []string{"Authorization", "Bearer other"}},
		{"the token in upper case", 401, []string{"Authorization", "Bearer " + strings.ToUpper(secret)}},
		{"the token and more", 401, []string{"Authorization", "Bearer " + secret + " x"}},
		{"a longer token", 401, []string{"Authorization", "Bearer " + secret + "x"}},
		{"basic", 401, []string{"Authorization", "Basic " + secret}},
		{"localhost", 200, []string{"Host", "localhost:1"}},
		{"localhost in capital letters", 200, []string{"Host", "LOCALHOST:1"}},
		{"a name of ours", 200, []string{"Host", "tools.example.com"}},
		{"a name of ours in capital letters", 200, []string{"Host", "TOOLS.example.com:443"}},
		{"an IPv6 address", 200, []string{"Host", "[::1]:1"}},
		{"a name that was rebound", 403, []string{"Host", "evil.example"}},
		{"a name that starts like ours", 403, []string{"Host", "localhost.evil.example"}},
		{"its own origin", 200, []string{"Origin", "http://" + own}},
		{"another origin", 403, []string{"Origin", "http://evil.example"}},
		{"an opaque origin", 403, []string{"Origin", "null"}},
		{"a browser that says so", 403, []string{"Sec-Fetch-Site", "cross-site"}},
	} {
		response := ask(t, "POST", endpoint.URL+"/mcp", initialize, row.headers...)
		if response.StatusCode != row.want {
			t.Errorf("%s: %d, want %d", row.name, response.StatusCode, row.want)
		}
		// RFC 6750, 3.1: only a token that was sent is called invalid.
		want := ""
		if sent := strings.Join(row.headers, " "); row.want == 401 {
			want = `Bearer realm="glovebox"`
			if strings.HasPrefix(sent, "Authorization Bearer ") && !strings.HasSuffix(sent, " x") {
				want += `, error="invalid_token", error_description="this token is not, or no longer, valid here"`
			}
		}
		if got := response.Header.Get("WWW-Authenticate"); got != want {
			t.Errorf("%s: WWW-Authenticate %q", row.name, got)
		}
	}
	if r := ask(t, "GET", endpoint.URL+"/mcp", "", "Origin", "http://evil.example"); r.StatusCode != 403 {
		t.Errorf("a stream for another origin: %d", r.StatusCode)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if r := ask(t, "GET", endpoint.URL+path, "", "Authorization", ""); r.StatusCode != 200 {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
}

func TestAnEndpointWithoutConfigurationLetsNobodyIn(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	recorder := newRecorder()
	r, _ := http.NewRequest("POST", "http://localhost/mcp", strings.NewReader(initialize))
	r.Header.Set("Authorization", "Bearer ")
	f.server.Handler(mcpserver.HTTP{}).ServeHTTP(recorder, r)
	if recorder.status != http.StatusUnauthorized {
		t.Errorf("status %d", recorder.status)
	}
}

type recorder struct {
	header http.Header
	status int
}

func newRecorder() *recorder                    { return &recorder{header: http.Header{}} }
func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) Write(b []byte) (int, error) { return len(b), nil }
func (r *recorder) WriteHeader(status int)      { r.status = status }

func TestHostileRequests(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	endpoint := f.http(t)
	for _, row := range []struct {
		name, body string
		want       int
		headers    []string
	}{
		{"no JSON", `{"jsonrpc":`, 400, nil},
		{"deep JSON", strings.Repeat("[", 100_000), 400, nil},
		{"over 4 MiB", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 4<<20) + `"}}`, 413, nil},
		{"a session that nobody opened", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 404, []string{"Mcp-Session-Id", "guess"}},
		{"an unheard of version", initialize, 400, []string{"Mcp-Protocol-Version", "1999-01-01"}},
		{"a version from the future", initialize, 400, []string{"Mcp-Protocol-Version", "9999-01-01"}},
		{"another media type", initialize, 415, []string{"Content-Type", "text/plain"}},
	} {
		response := ask(t, "POST", endpoint.URL+"/mcp", row.body, row.headers...)
		if response.StatusCode != row.want {
			text, _ := io.ReadAll(response.Body)
			t.Errorf("%s: %d, want %d: %.200s", row.name, response.StatusCode, row.want, text)
		}
	}
	// The server is as it was.
	if result := call(t, f.overHTTP(t, endpoint.URL, stateless, nil), "add", `{"a":1,"b":1}`); result.IsError {
		t.Error(textOf(t, result))
	}
}

// TestListShowsThreeMembers reads the wire: the SDK's client would drop what it
// does not know.
func TestListShowsThreeMembers(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	endpoint := f.http(t)
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	response := ask(t, "POST", endpoint.URL+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+meta+`}}`,
		"Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/list")
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := `"tools":[{"description":"The tool add.","inputSchema":{"type":"object","properties":{"b":{"type":"integer","description":"The second."},"a":{"type":"integer"}},"required":["b","a"]},"name":"add"}]`
	if !strings.Contains(string(text), want) {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

// TestSessionsExpire: a session of the older protocol that nobody uses is gone.
func TestSessionsExpire(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	token, _ := mcpserver.NewToken(secret)
	listener, stop := f.listen(t, mcpserver.HTTP{Token: token, SessionTimeout: 30 * time.Millisecond})
	defer stop()
	url := "http://" + listener + "/mcp"
	id := ask(t, "POST", url, initialize).Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatal("no session")
	}
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) { // longer than the timeout: asking keeps it alive
		r := ask(t, "POST", url, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, "Mcp-Session-Id", id)
		if r.StatusCode == http.StatusNotFound {
			return
		}
		if time.Since(start) > enough {
			t.Fatalf("status %d after %v", r.StatusCode, enough)
		}
	}
}

// listen serves until stop is called, which returns when the server has ended.
func (f *fixture) listen(t testing.TB, h mcpserver.HTTP) (addr string, stop func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return f.listenOn(t, listener, h)
}

func (f *fixture) listenOn(t testing.TB, listener net.Listener, h mcpserver.HTTP) (addr string, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.server.ServeHTTP(ctx, listener, h) }()
	return listener.Addr().String(), sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestDrainOverHTTP: a call that is under way when the server is told to stop is
// answered, an open stream does not hold the server up, and afterwards nobody
// listens.
func TestDrainOverHTTP(t *testing.T) {
	slow := tool("slow", "await new Promise(done => setTimeout(done, 200)); return 'done';", "")
	f := newFixture(t, mcpserver.Config{ProgressEvery: time.Millisecond}, slow)
	token, _ := mcpserver.NewToken(secret)
	addr, stop := f.listen(t, mcpserver.HTTP{Token: token, DrainTimeout: 5 * time.Second})
	url := "http://" + addr + "/mcp"
	id := ask(t, "POST", url, initialize).Header.Get("Mcp-Session-Id")
	ask(t, "POST", url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", id)
	ask(t, "GET", url, "", "Mcp-Session-Id", id) // stays open
	response := ask(t, "POST", url, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":1}}}`, "Mcp-Session-Id", id)
	lines := bufio.NewScanner(response.Body)
	if !lines.Scan() {
		t.Fatal("no progress, so the call may not have begun")
	}
	go stop()
	var rest strings.Builder
	for lines.Scan() {
		rest.WriteString(lines.Text())
	}
	if !strings.Contains(rest.String(), `"text":"\"done\""`) {
		t.Errorf("the call was answered with %q", rest.String())
	}
	stop()
	if _, err := net.Dial("tcp", addr); err == nil {
		t.Error("somebody still listens")
	}
}

// TestCallsThatTheDrainCancelsAreAnswered: the client is told of the timeout instead of
// losing the connection.
func TestCallsThatTheDrainCancelsAreAnswered(t *testing.T) {
	f := newFixture(t, mcpserver.Config{ProgressEvery: time.Millisecond, Calls: limited(jsengine.Limits{Statements: 1 << 60, Time: time.Minute})}, forever)
	token, _ := mcpserver.NewToken(secret)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- f.server.ServeHTTP(ctx, listener, mcpserver.HTTP{Token: token, DrainTimeout: time.Millisecond})
	}()
	url := "http://" + listener.Addr().String() + "/mcp"
	id := ask(t, "POST", url, initialize).Header.Get("Mcp-Session-Id")
	ask(t, "POST", url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", id)
	const called = `{"name":"forever","_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`
	var answers []*bufio.Scanner
	for _, response := range []*http.Response{
		ask(t, "POST", url, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"forever","_meta":{"progressToken":1}}}`, "Mcp-Session-Id", id),
		ask(t, "POST", url, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":`+called+`}`, "Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", "forever"),
	} {
		lines := bufio.NewScanner(response.Body)
		if !lines.Scan() {
			t.Fatal("no progress, so the call may not have begun")
		}
		answers = append(answers, lines)
	}
	stop()
	for _, lines := range answers {
		var rest strings.Builder
		for lines.Scan() {
			rest.WriteString(lines.Text())
		}
		if !strings.Contains(rest.String(), `"isError":true`) {
			t.Errorf("the call was answered with %q", rest.String())
		}
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("the operator hears %v", err)
	}
}

// TestAVersionThatOnlyTheMessageNames: what is wrong is the header, and the answer
// must not deny a version that the endpoint has.
func TestAVersionThatOnlyTheMessageNames(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	endpoint := f.http(t)
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	for name, headers := range map[string][]string{"no header": nil, "an older one": {"Mcp-Protocol-Version", sessions}} {
		response := ask(t, "POST", endpoint.URL+"/mcp", list, headers...)
		if text, _ := io.ReadAll(response.Body); response.StatusCode != 400 || !strings.Contains(string(text), `"code":-32020`) {
			t.Errorf("%s: %d %s", name, response.StatusCode, text)
		}
	}
}

func TestNotReady(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	synctest.Test(t, func(t *testing.T) {
		var broken error
		asked := 0
		handler := f.server.Handler(mcpserver.HTTP{Ready: func() error { asked++; return broken }})
		want := func(when string, want int) {
			t.Helper()
			r, _ := http.NewRequest("GET", "http://localhost/readyz", nil)
			recorder := newRecorder()
			recorder.status = 200
			handler.ServeHTTP(recorder, r)
			if recorder.status != want {
				t.Errorf("%s: %d", when, recorder.status)
			}
		}
		want("at first", 200)
		broken = errors.New("the disk is full")
		for range 1000 {
			want("in the same second", 200)
		}
		if asked != 1 {
			t.Errorf("the store was asked %d times in one second", asked)
		}
		time.Sleep(time.Second)
		want("cannot work", 503)
		broken = nil
		time.Sleep(time.Second)
		want("can again", 200)
		f.server.Drain(t.Context())
		time.Sleep(time.Second)
		asked = 0
		want("draining", 503)
		if asked != 0 {
			t.Error("a server that stops asks whether it could work")
		}
	})
}

func TestListenCheck(t *testing.T) {
	for _, row := range []struct {
		addr string
		open bool
		ok   bool
	}{
		{"127.0.0.1:1", true, true}, {"localhost:1", true, true}, {"[::1]:1", true, true}, {"127.8.8.8:1", true, true},
		{"0.0.0.0:1", true, false}, {":1", true, false}, {"[::]:1", true, false}, {"example.com:1", true, false}, {"10.0.0.1:1", true, false},
		{"0.0.0.0:1", false, true}, {"nonsense", false, false},
	} {
		if err := (mcpserver.HTTP{Open: row.open}).Check(row.addr); (err == nil) != row.ok {
			t.Errorf("%s open=%v: %v", row.addr, row.open, err)
		}
	}
}

// TestParallelCallsAreBounded: with one slot calls run one after the other, and
// all of them are answered.
func TestParallelCallsAreBounded(t *testing.T) {
	slow := tool("slow", "await new Promise(done => setTimeout(done, 10)); return 1;", "")
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Parallel: 1}, Calls: limited(jsengine.Limits{Time: enough})}, slow)
	client := f.stdio(t, stateless, nil)
	call(t, client, "slow", `{}`) // compiled
	started := time.Now()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if result := call(t, client, "slow", `{}`); result.IsError {
				t.Error(textOf(t, result))
			}
		})
	}
	wg.Wait()
	if took := time.Since(started); took < 50*time.Millisecond {
		t.Errorf("five calls of 10 ms took %v", took)
	}
}

// TestRequestsFromAFileAreAnswered: the input ends before the answers are
// written.
func TestRequestsFromAFileAreAnswered(t *testing.T) {
	slow := tool("slow", "await new Promise(done => setTimeout(done, 30)); return 1;", "")
	f := newFixture(t, mcpserver.Config{}, slow)
	input := initialize + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"slow"}}` + "\n" + `{"jsonrpc":"2.0","id":3,"method":"ping"}`
	var out lockedBuilder
	if err := f.server.ServeStdio(t.Context(), "stdio", io.NopCloser(strings.NewReader(input)), &out); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{`1`, `"x"`, `3`} {
		if n := strings.Count(out.String(), fmt.Sprintf(`"id":%s,"result"`, id)); n != 1 {
			t.Errorf("request %s has %d answers in %s", id, n, out.String())
		}
	}
}

func TestHostileLinesOnStdio(t *testing.T) {
	for _, input := range []string{"", "\n\n", "nonsense\n", `{"jsonrpc":"2.0","id":1}` + "\n", strings.Repeat("[", 10_000), `"` + strings.Repeat("x", 5<<20), "[1,2,{}]\n", "\x00\xff\n"} {
		f := newFixture(t, mcpserver.Config{})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			f.server.ServeStdio(t.Context(), "stdio", io.NopCloser(strings.NewReader(input)), &lockedBuilder{})
		}()
		select {
		case <-ended:
		case <-time.After(enough):
			t.Errorf("%.20q: the server does not end with its input", input)
		}
	}
}

type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *lockedBuilder) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuilder) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func (b *lockedBuilder) Close() error { return nil }

// TestNoToolsAreLeft: a server that lost all its tools is not ready until it has some
// again.
func TestNoToolsAreLeft(t *testing.T) {
	server := mcpserver.New(mcpserver.Config{})
	handler := server.Handler(mcpserver.HTTP{})
	is := func(what string, want int) {
		t.Helper()
		r := httptest.NewRequest("GET", "http://localhost/readyz", nil)
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d", what, w.Code)
		}
	}
	tools := riskcontract.Tools(&contract.Contract{})
	is("no tools yet", http.StatusOK)
	server.Publish(riskcontract.Source, tools)
	is("tools", http.StatusOK)
	server.Publish(riskcontract.Source, nil)
	is("no tools any more", http.StatusServiceUnavailable)
	server.Publish(riskcontract.Source, tools)
	is("tools again", http.StatusOK)
}
