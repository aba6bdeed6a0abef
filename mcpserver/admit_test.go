package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// least is the least rate there is, a message in 100 s.
const least = 0.01

func TestTooManyMessages(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Rate: least, Burst: 4}}, add)
	url := f.http(t).URL + "/mcp"
	id := ask(t, "POST", url, initialize).Header.Get("Mcp-Session-Id") // 1
	batch := `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`
	if r := ask(t, "POST", url, batch, "Mcp-Session-Id", id); r.StatusCode != 200 { // 2 and 3
		t.Error(r.Status)
	}
	refused := ask(t, "POST", url, batch, "Mcp-Session-Id", id)
	after, err := strconv.Atoi(refused.Header.Get("Retry-After"))
	if refused.StatusCode != http.StatusTooManyRequests || err != nil || after < 3 || after > 100 {
		t.Errorf("%s, Retry-After %q", refused.Status, refused.Header.Get("Retry-After"))
	}
	ping := `{"jsonrpc":"2.0","id":3,"method":"ping"}`
	if r := ask(t, "POST", url, ping, "Mcp-Session-Id", id); r.StatusCode != 200 { // 4: a refusal costs nothing
		t.Error(r.Status)
	}
	if r := ask(t, "GET", url, "", "Mcp-Session-Id", id); r.StatusCode != http.StatusTooManyRequests {
		t.Error(r.Status)
	}
}

// TestTooManyMessagesOnStdio: there is no status, so the model is told.
func TestTooManyMessagesOnStdio(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Rate: least, Burst: 2}}, add)
	client := f.stdio(t, stateless, nil)
	for n := range 3 {
		result := call(t, client, "add", `{"a":1,"b":1}`)
		if text := textOf(t, result); result.IsError != (n == 2) || result.IsError && !regexp.MustCompile(`too many messages; try again in \d{1,3} s`).MatchString(text) {
			t.Errorf("call %d: %s", n, text)
		}
	}
}

// TestFullQueue: calls that do not fit are refused at once, the others are answered.
func TestFullQueue(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Parallel: 1, Queue: 1}})
	slow, done := newTheirs("other", `{"name":"slow"}`, ""), make(chan struct{})
	slow.run = func(context.Context, *governed.Permit) governed.Output {
		<-done
		return governed.Output{Value: json.RawMessage(`{"content":[{"type":"text","text":"1"}]}`)}
	}
	f.server.Publish("other", []governed.Tool{slow})
	url := f.http(t).URL + "/mcp"
	statuses := make(chan *http.Response, 6)
	for n := range cap(statuses) {
		go func() {
			statuses <- ask(t, "POST", url, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"slow",%s}}`, n, meta),
				"Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", "slow")
		}()
	}
	for n := range cap(statuses) {
		if n == 4 { // one runs and one waits
			close(done)
		}
		r := <-statuses
		text, err := io.ReadAll(r.Body)
		answered := strings.Contains(string(text), `"text":"1"`)
		refused := r.StatusCode == http.StatusTooManyRequests && r.Header.Get("Retry-After") == "1" ||
			strings.Contains(string(text), "too many calls are waiting") // it passed the first check
		if err != nil || refused != (n < 4) || answered != (n >= 4) {
			t.Errorf("answer %d: %s %s, %v", n, r.Status, text, err)
		}
	}
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

// TestFloodOfSessions: a client that opens and abandons sessions keeps as many as its
// limit. The one it still uses is not among those closed.
func TestFloodOfSessions(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Sessions: 5}}, add)
	url := f.http(t).URL + "/mcp"
	open := func() string { return ask(t, "POST", url, initialize).Header.Get("Mcp-Session-Id") }
	used := open()
	ask(t, "POST", url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", used)
	ask(t, "GET", url, "", "Mcp-Session-Id", used) // a stream that stays open
	var ids []string
	for range 50 {
		ids = append(ids, open())
	}
	ping := func(id string) int {
		return ask(t, "POST", url, `{"jsonrpc":"2.0","id":9,"method":"ping"}`, "Mcp-Session-Id", id).StatusCode
	}
	if got := ping(used); got != 200 {
		t.Errorf("the session in use: %d", got)
	}
	alive := 0
	for _, id := range ids {
		if ping(id) == 200 {
			alive++
		}
	}
	if alive != 4 {
		t.Errorf("%d of the forgotten sessions are left", alive)
	}
	if r := ask(t, "DELETE", url, "", "Mcp-Session-Id", used); r.StatusCode >= 300 {
		t.Error(r.Status)
	}
}

// TestStreamsAreBounded: a stream of the newer protocol holds a slot while it is
// open.
func TestStreamsAreBounded(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Sessions: 2}}, add)
	url := f.http(t).URL + "/mcp"
	listen := func() *http.Response {
		return ask(t, "POST", url, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+meta+`}}`,
			"Mcp-Protocol-Version", stateless, "Mcp-Method", "subscriptions/listen")
	}
	first, second := listen(), listen()
	if first.StatusCode != 200 || second.StatusCode != 200 {
		t.Fatal(first.Status, second.Status)
	}
	if third := listen(); third.StatusCode != http.StatusTooManyRequests || third.Header.Get("Retry-After") == "" {
		t.Error(third.Status)
	}
	first.Body.Close()
	for start := time.Now(); ; {
		if again := listen(); again.StatusCode == 200 {
			break
		}
		if time.Since(start) > enough {
			t.Fatal("a stream that was closed keeps its place")
		}
	}
	// A header that contradicts the body does not open a stream.
	r := ask(t, "POST", url, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},`+meta+`}}`,
		"Mcp-Protocol-Version", stateless, "Mcp-Method", "ping")
	if r.StatusCode != http.StatusBadRequest {
		t.Error(r.Status)
	}
}

func TestACallOverHTTPCountsOnce(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Limits: admission.Limits{Rate: 1e-6, Burst: 5}}, add)
	client := f.overHTTP(t, f.http(t).URL, stateless, nil) // connecting costs one message
	for range 4 {
		if result := call(t, client, "add", `{"a":1,"b":1}`); result.IsError {
			t.Fatal(textOf(t, result))
		}
	}
	if result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "add"}); err == nil {
		t.Errorf("a sixth message was answered with %v", result)
	}
}
