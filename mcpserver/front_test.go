package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

var oddIDs = []string{`1`, `1.0`, `1.5`, `-0`, `1e30`, `12345678901234567890`, `"a"`, `"\u0061"`, `"<é\"\u2028>"`, `"glovebox:id:MS41"`, `"` + strings.Repeat("x", 1000) + `"`}

// TestIDsAreAnsweredAsTheyCame, to the byte, over every transport.
func TestIDsAreAnsweredAsTheyCame(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	endpoint := f.http(t).URL + "/mcp"
	id := ask(t, "POST", endpoint, initialize).Header.Get("Mcp-Session-Id")
	url := f.oldHTTP(t, nil)
	old, lines := openStream(t, url, "Bearer "+secret)
	old = url + old
	ask(t, "POST", old, strings.Replace(initialize, "2025-11-25", "2024-11-05", 1))
	nextEvent(t, lines)
	for _, odd := range oddIDs {
		call := `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}%s},"id":` + odd + `}`
		want := `{"jsonrpc":"2.0","id":` + odd + `,"result":{`
		bug := `{"jsonrpc":"2.0","id":` + odd + `,"error":{`
		w := f.wire(t)
		w.say(fmt.Sprintf(call, ","+meta))
		if said := <-w.heard; !strings.HasPrefix(said, want) {
			t.Errorf("stdio: %s", said)
		}
		w.say(strings.Replace(fmt.Sprintf(call, ","+meta), "tools/call", "tools/destroy", 1))
		if said := <-w.heard; !strings.HasPrefix(said, bug) {
			t.Errorf("stdio: %s", said)
		}
		w.close()
		for name, r := range map[string]*http.Response{
			"with sessions": ask(t, "POST", endpoint, fmt.Sprintf(call, ""), "Mcp-Session-Id", id),
			"stateless":     ask(t, "POST", endpoint, fmt.Sprintf(call, ","+meta), "Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", "add"),
			"a batch":       ask(t, "POST", endpoint, "["+fmt.Sprintf(call, "")+"]", "Mcp-Session-Id", id, "Mcp-Protocol-Version", "2025-03-26"),
		} {
			if text, _ := io.ReadAll(r.Body); !strings.Contains(string(text), want) {
				t.Errorf("%s: %s %s", name, r.Status, text)
			}
		}
		r := ask(t, "POST", endpoint, strings.Replace(fmt.Sprintf(call, ","+meta), "tools/call", "tools/destroy", 1), "Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/destroy")
		if text, _ := io.ReadAll(r.Body); !strings.Contains(string(text), bug) {
			t.Errorf("refused: %s %s", r.Status, text)
		}
		if r := ask(t, "POST", old, fmt.Sprintf(call, "")); r.StatusCode != http.StatusAccepted {
			t.Errorf("2024-11-05: %s", r.Status)
		}
		if said := nextEvent(t, lines); !strings.HasPrefix(said, want) {
			t.Errorf("2024-11-05: %s", said)
		}
	}
}

// nextEvent returns the data of the next event of a stream.
func nextEvent(t testing.TB, lines *bufio.Scanner) string {
	t.Helper()
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return data
		}
	}
	t.Fatal("the stream has ended")
	return ""
}

// TestCancelByAnOddID: the request sent with that id ends.
func TestCancelByAnOddID(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, rest)
	w := f.wire(t)
	w.say(`{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"rest","arguments":{"text":""},` + meta + `}}`)
	await(t, "the call runs", func() bool { running, _ := f.server.Calls(); return running == 1 })
	w.say(`{"jsonrpc":"2.0","id":1.25,"method":"tools/list","params":{` + meta + `}}`)
	if said := <-w.heard; !strings.HasPrefix(said, `{"jsonrpc":"2.0","id":1.25,`) {
		t.Error(said)
	}
	w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.5,` + meta + `}}`)
	f.server.Drain(context.Background())
	if got := f.records(t); len(got) != 1 || got[0].Outcome != audit.Error {
		t.Errorf("%+v", got)
	}
	w.close()
}

// enough is how long a test waits for what must happen: a machine may be very busy.
const enough = 2 * time.Minute

// await polls until is holds.
func await(t testing.TB, what string, is func() bool) {
	t.Helper()
	for start := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(start) > enough {
			t.Fatalf("it never is: %s", what)
		}
	}
}

const text = `"params":[{"name":"text","description":"A text.","type":"STRING","required":true,"testValue":"x"}]`

var (
	size = tool("size", "return text.length;", text)
	rest = tool("rest", "await new Promise(done => setTimeout(done, 25000)); return 1;", text)
)

// TestLargeArguments: they reach the tool unchanged, whatever the members beside them.
func TestLargeArguments(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, size)
	everywhere(t, f, nil, func(t *testing.T, version string, client *mcp.ClientSession) {
		for _, n := range []int{1, 600, 100_000, 3 << 20} {
			if got := textOf(t, call(t, client, "size", `{"text":"`+strings.Repeat("x", n)+`"}`)); got != fmt.Sprint(n) {
				t.Errorf("%d: %.200s", n, got)
			}
		}
	})
	client := overSSE(t, f.oldHTTP(t, nil), secret)
	if got := textOf(t, call(t, client, "size", `{"text":"`+strings.Repeat("x", 3<<20)+`"}`)); got != fmt.Sprint(3<<20) {
		t.Errorf("2024-11-05: %.200s", got)
	}
	await(t, "nothing is held once the answers are sent", func() bool { return f.server.BytesHeld() == 0 })
}

// TestPlaceholdersAreNotForClients: a client that makes one up gets nothing.
func TestPlaceholdersAreNotForClients(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, size)
	endpoint := f.http(t).URL + "/mcp"
	r := ask(t, "POST", endpoint, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"size","arguments":{"glovebox:held":"AAAA"},`+meta+`}}`,
		"Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", "size")
	text, _ := io.ReadAll(r.Body)
	if got := f.records(t); len(got) != 1 || !strings.Contains(string(text), "isError") {
		t.Errorf("%s, %d records", text, len(got))
	}
}

// floods serves two clients, one of them greedy; messages may take 24 MB.
func floods(t testing.TB, limits admission.Limits, specs ...string) (f *fixture, url, greedy, modest string) {
	f = newFixture(t, mcpserver.Config{Limits: limits}, specs...)
	i := newIssuer(t)
	url = f.endpoint(t, mcpserver.HTTP{OAuth: i.guard(t)}) + "/mcp"
	return f, url, "Bearer " + i.token(t, "greedy", "", nil), "Bearer " + i.token(t, "modest", "", nil)
}

// unread is a body of which the server must not read anything.
type unread struct {
	io.Reader
	t testing.TB
}

func (u unread) Read([]byte) (int, error) {
	u.t.Error("it is read")
	return 0, io.EOF
}

func (unread) Close() error { return nil }

// TestMessagesOverTheirBudget are refused before they are read, for their sender
// alone, and until an earlier one is answered.
func TestMessagesOverTheirBudget(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Bytes: 24 << 20}}, add)
	i := newIssuer(t)
	handler := f.server.Handler(mcpserver.HTTP{OAuth: i.guard(t)})
	send := func(who string, length int64, body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "http://localhost/mcp", body)
		r.ContentLength = length
		r.Header = http.Header{"Authorization": {"Bearer " + i.token(t, who, "", nil)}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	const most = 4 << 20
	slow, drip := io.Pipe()
	stuck := make(chan *httptest.ResponseRecorder)
	for range 2 {
		go func() { stuck <- send("greedy", most, slow) }()
	}
	await(t, "both are under way", func() bool { return f.server.BytesHeld() > 2*most })
	for _, length := range []int64{most, -1} {
		body := io.Reader(unread{nil, t})
		if length < 0 {
			body = strings.NewReader(strings.Repeat(" ", most))
		}
		w := send("greedy", length, body)
		if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "too many bytes") {
			t.Errorf("%d: %d %s", length, w.Code, w.Body)
		}
	}
	if w := send("greedy", 100, strings.NewReader(initialize[:100])); w.Code != http.StatusBadRequest {
		t.Errorf("a small one: %d %s", w.Code, w.Body)
	}
	for _, length := range []int64{int64(len(initialize)), -1} {
		if w := send("modest", length, strings.NewReader(initialize)); w.Code != http.StatusOK {
			t.Errorf("another client: %d %s", w.Code, w.Body)
		}
	}
	if w := send("modest", most, strings.NewReader(initialize+strings.Repeat(" ", most-len(initialize)))); w.Code != http.StatusOK {
		t.Errorf("a large one of another client: %d %s", w.Code, w.Body)
	}
	drip.Close()
	<-stuck
	<-stuck
	if held := f.server.BytesHeld(); held != 0 {
		t.Errorf("%d bytes are held", held)
	}
	if w := send("greedy", -1, strings.NewReader(initialize+strings.Repeat(" ", most-len(initialize)))); w.Code != http.StatusOK {
		t.Errorf("afterwards: %d %s", w.Code, w.Body)
	}
}

// TestHangingUpFreesNothingThatIsUsed: a call keeps using its arguments after its
// client has hung up, so they stay charged.
func TestHangingUpFreesNothingThatIsUsed(t *testing.T) {
	f, url, greedy, _ := floods(t, admission.Limits{Bytes: 24 << 20}, rest)
	id := ask(t, "POST", url, initialize, "Authorization", greedy).Header.Get("Mcp-Session-Id")
	body := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"rest","arguments":{"text":"` + strings.Repeat("x", 3<<20) + `"}}}`
	ctx, hangUp := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {greedy}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {id}}
	left := make(chan struct{})
	go func() {
		defer close(left)
		if answer, err := http.DefaultClient.Do(r); err == nil {
			io.Copy(io.Discard, answer.Body)
		}
	}()
	await(t, "the call runs", func() bool { running, _ := f.server.Calls(); return running == 1 })
	hangUp()
	<-left
	if held := f.server.BytesHeld(); held < 3<<20 {
		t.Errorf("%d bytes are held", held)
	}
	drained, cancel := context.WithCancel(t.Context())
	cancel()
	f.server.Drain(drained)
	await(t, "all is free", func() bool { return f.server.BytesHeld() == 0 })
}

// TestLargeMessagesOverOldTransports count until they are answered, too.
func TestLargeMessagesOverOldTransports(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Bytes: 48 << 20}}, rest)
	url := f.oldHTTP(t, nil)
	old, lines := openStream(t, url, "Bearer "+secret)
	old = url + old
	ask(t, "POST", old, strings.Replace(initialize, "2025-11-25", "2024-11-05", 1))
	nextEvent(t, lines)
	body := `{"jsonrpc":"2.0","id":%d,"method":"tools/%s","params":{"name":"rest","arguments":{"text":"` + strings.Repeat("x", 3<<20) + `"}}}`
	if r := ask(t, "POST", old, fmt.Sprintf(body, 1, "destroy")); r.StatusCode != http.StatusBadRequest || f.server.BytesHeld() != 0 {
		t.Errorf("%s, %d bytes are held", r.Status, f.server.BytesHeld())
	}
	accepted := 0
	for r := (*http.Response)(nil); r == nil || r.StatusCode == http.StatusAccepted; accepted++ {
		r = ask(t, "POST", old, fmt.Sprintf(body, accepted, "call"))
		if r.StatusCode == http.StatusTooManyRequests {
			break
		} else if accepted > 8 {
			t.Fatal("there is no end")
		}
	}
	under := func(calls int) func() bool {
		return func() bool { running, waiting := f.server.Calls(); return running+waiting == calls }
	}
	await(t, "all are under way", under(accepted))
	for i := range accepted {
		ask(t, "POST", old, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
	}
	await(t, "all is free", func() bool { return f.server.BytesHeld() == 0 })

	w := f.wire(t)
	for i := range 3 {
		w.say(fmt.Sprintf(strings.Replace(body, `"name"`, meta+`,"name"`, 1), i, "call"))
	}
	await(t, "all are under way over stdio", under(3))
	if held := f.server.BytesHeld(); held < 9<<20 {
		t.Errorf("%d bytes are held", held)
	}
	for i := range 3 {
		w.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,`+meta+`}}`, i))
	}
	await(t, "all is free over stdio", func() bool { return f.server.BytesHeld() == 0 })
	w.close()
}

// FuzzFront: whatever a request contains, the response is valid, its body is JSON, and
// nothing stays allocated.
func FuzzFront(f *testing.F) {
	server := newFixture(f, mcpserver.Config{Limits: admission.Limits{Rate: -1, SessionsInAll: 8}}, add).server
	token, err := mcpserver.NewToken(secret)
	if err != nil {
		f.Fatal(err)
	}
	handler := server.Handler(mcpserver.HTTP{Token: token, SSE: true})
	call := `{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2,"c":"` + strings.Repeat("x", 600) + `"},` + meta + `}}`
	f.Add("POST", "/mcp", stateless, "tools/call", call, true)
	f.Add("POST", "/mcp", "", "", initialize, true)
	f.Add("POST", "/mcp", "2025-03-26", "", "["+initialize+","+call+"]", false)
	f.Add("POST", "/sse?sessionid=x", "", "", call, true)
	f.Add("DELETE", "/mcp", "x", "", "{", false)
	f.Add("POST", "/mcp", "", "", strings.Repeat("[", 5000), true)
	f.Add("POST", "/mcp", "", "", `{"jsonrpc":"2.0","id":1e999,"method":"ping","method":"\ud800"}`, true)
	f.Fuzz(func(t *testing.T, method, path, version, header, body string, sized bool) {
		if method == "" || method == http.MethodGet || strings.Contains(body, "listen") || strings.Contains(header, "listen") {
			return // a stream, which ends with its client
		}
		r, err := http.NewRequestWithContext(t.Context(), method, "http://localhost/", struct{ io.Reader }{strings.NewReader(body)})
		if err != nil {
			return
		}
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
		if r.ContentLength = -1; sized {
			r.ContentLength = int64(len(body))
		}
		r.Header = http.Header{"Authorization": {"Bearer " + secret}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {version}, "Mcp-Method": {header}, "Mcp-Name": {"add"}}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code < 200 || w.Code >= 500 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		for line := range bytes.Lines(w.Body.Bytes()) {
			// The first event of an answer has an id alone.
			if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && len(bytes.TrimSpace(data)) > 0 && !json.Valid(data) {
				t.Errorf("it said %q", line)
			}
		}
		if w.Code != http.StatusOK && server.BytesHeld() != 0 {
			t.Errorf("%d bytes are held", server.BytesHeld())
		}
	})
}

// TestOneClientLeavesConnections: a client that sends slowly leaves connections for others.
func TestOneClientLeavesConnections(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Connections: 8}}, add)
	i := newIssuer(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr, stop := f.listenOn(t, listener, mcpserver.HTTP{OAuth: i.guard(t), DrainTimeout: 10 * time.Second})
	defer stop()
	slowly := strings.Replace(request("POST", "/mcp", initialize), secret, i.token(t, "greedy", "", nil), 1)
	slowly = slowly[:len(slowly)-10]
	var open []socket
	for range 6 {
		s := dial(t, addr)
		s.send(slowly)
		open = append(open, s)
	}
	await(t, "six are under way", func() bool { return f.server.Connections() == 6 })
	for range 20 {
		s := dial(t, addr)
		s.send(slowly)
		said, _ := io.ReadAll(s)
		if text := string(said); !strings.HasPrefix(text, "HTTP/1.1 429 ") || !strings.Contains(text, "\r\nRetry-After: 1\r\n") || !strings.HasSuffix(text, "too many connections are open; try again in 1 s") {
			t.Errorf("one too many: %q", text)
		}
	}
	for range 3 {
		r := ask(t, "POST", "http://"+addr+"/mcp", initialize, "Authorization", "Bearer "+i.token(t, "modest", "", nil), "Connection", "close")
		if r.StatusCode != http.StatusOK {
			t.Errorf("another client: %s", r.Status)
		}
		io.Copy(io.Discard, r.Body)
	}
	for _, s := range open {
		s.Close()
	}
	await(t, "all are closed", func() bool { return f.server.Connections() == 0 })
	s := dial(t, addr)
	defer s.Close()
	s.send(slowly + initialize[len(initialize)-10:])
	if line, err := bufio.NewReader(s).ReadString('\n'); !strings.HasPrefix(line, "HTTP/1.1 200 ") {
		t.Errorf("afterwards: %q, %v", line, err)
	}
}
