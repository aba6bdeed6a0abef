package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/admission"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// drawn is a name as a client draws it.
const drawn = "q3X0mZ1vT8yKc5Lr2WbN7A"

// draw answers differently each time that it runs.
var draw = tool("draw", "return {drawn: Math.random(), of: n};", `"params":[{"name":"n","type":"INTEGER","required":true,"testValue":"1"}]`)

// sleeper waits for longer than any test does.
var sleeper = tool("sleeper", "await new Promise(done => setTimeout(done, 3600000));", "")

// breaking is a server over real connections, whose calls wait in it.
type breaking struct {
	*fixture
	url      string
	entered  chan struct{} // a call has begun, and waits
	release  chan struct{} // closed to let all calls go on
	answered chan struct{} // a request was left by its handler
}

func newBreaking(t *testing.T, config mcpserver.Config, specs ...string) *breaking {
	t.Helper()
	b := &breaking{entered: make(chan struct{}, 100), release: make(chan struct{}), answered: make(chan struct{}, 100)}
	config.Calls.Lend = func(string, *host.World) (func(), error) {
		b.entered <- struct{}{}
		<-b.release
		return nil, nil
	}
	b.fixture = newFixture(t, config, specs...)
	token, err := mcpserver.NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	handler := b.server.Handler(mcpserver.HTTP{Token: token, Named: func(_ context.Context, text string) (mcpserver.Holder, bool, error) {
		return mcpserver.Holder{Principal: "named:other"}, text == "another-token", nil
	}})
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		b.answered <- struct{}{}
	}))
	t.Cleanup(endpoint.Close)
	b.url = endpoint.URL
	return b
}

// callOf is a call by its params, with more members of _meta.
func callOf(id int, params, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s,%s}}`, id, params, strings.TrimSuffix(newMetaAsks, "}")+more+"}")
}

func named(name string) string { return fmt.Sprintf(`,"glovebox.run/call":%q`, name) }

// hangUp makes a call, and breaks its connection when it runs.
func (b *breaking) hangUp(t *testing.T, tool, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"Mcp-Protocol-Version: %s\r\nMcp-Method: tools/call\r\nMcp-Name: %s\r\nContent-Length: %d\r\n\r\n%s", secret, stateless, tool, len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	b.wait(t, "the call to begin", b.entered)
	conn.Close()
	b.wait(t, "the server to let the request go", b.answered)
}

func (b *breaking) wait(t *testing.T, what string, until <-chan struct{}) {
	t.Helper()
	select {
	case <-until:
	case <-time.After(time.Minute):
		t.Fatal("a minute was not enough for " + what)
	}
}

// call makes a call over a connection that holds.
func (b *breaking) call(t *testing.T, bearer, tool, body string) (status int, answer gjson.Result) {
	t.Helper()
	r := ask(t, "POST", b.url+"/mcp", body, "Authorization", "Bearer "+bearer, "Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", tool)
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if _, event, ok := strings.Cut(string(text), "data: "); ok { // a stream of one
		text = []byte(event)
	}
	return r.StatusCode, gjson.ParseBytes(text)
}

// TestACallWithANameOutlivesItsConnection: its client comes back, waits for the call that
// runs, and then gets its result as often as it asks; nobody else does, and nothing that is
// not the same.
func TestACallWithANameOutlivesItsConnection(t *testing.T) {
	const one = `"name":"draw","arguments":{"n":1}`
	// The SDK answers a call whose progress somebody follows.
	for way, more := range map[string]string{"direct": "", "by the SDK": `,"progressToken":"p"`} {
		t.Run(way, func(t *testing.T) {
			b := newBreaking(t, mcpserver.Config{}, draw)
			b.hangUp(t, "draw", callOf(0, one, named(drawn)+more))
			answers := make(chan gjson.Result, 2)
			for id := range 2 {
				go func() {
					_, answer := b.call(t, secret, "draw", callOf(50+id, one, named(drawn)+more))
					answers <- answer
				}()
			}
			close(b.release)
			first, second := <-answers, <-answers
			value := first.Get("result.structuredContent").Raw
			if !strings.Contains(value, "drawn") || second.Get("result.structuredContent").Raw != value || first.Get("id").Int()+second.Get("id").Int() != 50+51 {
				t.Fatalf("%s\n%s", first, second)
			}
			if _, later := b.call(t, secret, "draw", callOf(7, one, named(drawn)+more)); later.Get("result").Raw != first.Get("result").Raw || later.Get("id").Int() != 7 {
				t.Errorf("later: %s", later)
			}
			if n := len(b.records(t)); n != 1 {
				t.Fatalf("it ran %d times", n)
			}
			for _, row := range []struct{ what, bearer, params, more string }{
				{"another principal", "another-token", one, named(drawn)},
				{"another name", secret, one, named("A" + drawn)},
				{"the id of the first request", secret, one, ""},
			} {
				if _, answer := b.call(t, row.bearer, "draw", callOf(0, row.params, row.more+more)); !answer.Get("result.structuredContent.drawn").Exists() || answer.Get("result.structuredContent").Raw == value {
					t.Errorf("%s: %s", row.what, answer)
				}
			}
			for _, row := range []struct{ what, params, more, want string }{
				{"other arguments", `"name":"draw","arguments":{"n":2}`, named(drawn), "other arguments has this name"},
				{"a number", one, `,"glovebox.run/call":1`, "22 to 128 characters"},
				{"a short name", one, named(drawn[:21]), "22 to 128 characters"},
				{"a long name", one, named(strings.Repeat(drawn, 6)), "22 to 128 characters"},
				{"a name that is not drawn", one, named("call-" + strings.Repeat("0", 30)), "22 to 128 characters"},
			} {
				before := len(b.records(t))
				if status, answer := b.call(t, secret, "draw", callOf(0, row.params, row.more+more)); !strings.Contains(answer.Get("error.message").Str, row.want) || answer.Get("error.code").Int() != -32602 || status != http.StatusBadRequest || len(b.records(t)) != before {
					t.Errorf("%s: %d %s", row.what, status, answer)
				}
			}
			if n := len(b.records(t)); n != 4 {
				t.Errorf("%d calls ran", n)
			}
		})
	}
}

// TestACallWithoutANameEndsWithItsConnection, as the protocol says.
func TestACallWithoutANameEndsWithItsConnection(t *testing.T) {
	b := newBreaking(t, mcpserver.Config{}, sleeper)
	close(b.release)
	b.hangUp(t, "sleeper", callOf(0, `"name":"sleeper","arguments":{}`, ""))
	b.waitFor(t, 1)
	if r := b.records(t)[0]; r.Cause == nil || r.Cause.Kind != string(governed.Cancelled) {
		t.Errorf("%+v", r)
	}
}

// TestNobodyComesBack: the call is cancelled then, and nothing is left of it.
func TestNobodyComesBack(t *testing.T) {
	b := newBreaking(t, mcpserver.Config{ResultTime: 50 * time.Millisecond}, sleeper)
	close(b.release)
	b.hangUp(t, "sleeper", callOf(0, `"name":"sleeper","arguments":{}`, named(drawn)))
	b.waitFor(t, 1)
	if r := b.records(t)[0]; r.Cause == nil || r.Cause.Kind != string(governed.Cancelled) {
		t.Errorf("%+v", r)
	}
	for deadline := time.Now().Add(time.Minute); b.server.BytesHeld() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes are held", b.server.BytesHeld())
		}
	}
}

// TestACallWithANameAsks: each round is one of its own, so a client that lost a question
// gets it again, and one that lost the result gets that.
func TestACallWithANameAsks(t *testing.T) {
	t.Run("for approval", func(t *testing.T) {
		b := newBreaking(t, mcpserver.Config{}, required)
		close(b.release)
		rounds(t, b, "required", `"name":"required","arguments":{}`, `"inputResponses":{"approval":{"action":"accept","content":{}}}`)
	})
	t.Run("for its server", func(t *testing.T) {
		b := newBreaking(t, mcpserver.Config{})
		close(b.release)
		if withheld := b.server.Publish("shop", []governed.Tool{survey()}); len(withheld) > 0 {
			t.Fatal(withheld)
		}
		rounds(t, b, "survey", `"name":"survey","arguments":`+asks(askName), `"inputResponses":{"server":{"action":"accept","content":{"name":"Ada"}}}`)
	})
}

func rounds(t *testing.T, b *breaking, tool, params, answer string) {
	t.Helper()
	_, asked := b.call(t, secret, tool, callOf(0, params, named(drawn)))
	_, again := b.call(t, secret, tool, callOf(1, params, named(drawn)))
	state := asked.Get("result.requestState").Str
	if state == "" || again.Get("result").Raw != asked.Get("result").Raw {
		t.Fatalf("%s\n%s", asked, again)
	}
	answered := fmt.Sprintf(`%s,%s,"requestState":%q`, params, answer, state)
	_, first := b.call(t, secret, tool, callOf(2, answered, named(drawn)))
	_, second := b.call(t, secret, tool, callOf(3, answered, named(drawn)))
	if first.Get("result.resultType").Str != "complete" || first.Get("result.isError").Bool() || second.Get("result").Raw != first.Get("result").Raw {
		t.Errorf("%s\n%s", first, second)
	}
	if _, other := b.call(t, secret, tool, callOf(4, strings.Replace(answered, "accept", "decline", 1), named(drawn))); !strings.Contains(other.Get("error.message").Str, "has this name") {
		t.Errorf("another answer: %s", other)
	}
	if n := len(b.records(t)); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

// TestNamedCallsTakeTurns: that their clients are away gives them no more slots, and no
// memory that nobody counts.
func TestNamedCallsTakeTurns(t *testing.T) {
	b := newBreaking(t, mcpserver.Config{Limits: admission.Limits{Parallel: 2, PerPrincipal: 2, Queue: 4, QueueInAll: 4}}, draw)
	for i := range 2 {
		b.hangUp(t, "draw", callOf(i, fmt.Sprintf(`"name":"draw","arguments":{"n":%d}`, i), named(fmt.Sprint(drawn, i))))
	}
	if running, _ := b.server.Calls(); running != 2 || b.server.BytesHeld() == 0 {
		t.Errorf("%d run, %d bytes are held", running, b.server.BytesHeld())
	}
	done := make(chan struct{})
	for i := range 3 {
		go func() {
			_, _ = b.call(t, secret, "draw", callOf(i, fmt.Sprintf(`"name":"draw","arguments":{"n":%d}`, i), named(fmt.Sprint(drawn, i))))
			done <- struct{}{}
		}()
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if running, waiting := b.server.Calls(); running == 2 && waiting == 1 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the third does not wait")
		}
	}
	close(b.release)
	for range 3 {
		b.wait(t, "the answers", done)
	}
	if n := len(b.records(t)); n != 3 {
		t.Errorf("%d calls ran", n)
	}
}
