package mcpserver_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime"
)

// TestACallWithASessionIsCancelled: by the notification, and not by hanging up.
func TestACallWithASessionIsCancelled(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Calls: limited(jsengine.Limits{Statements: 1 << 60, Time: time.Minute})}, forever, add)
	url := f.http(t).URL + "/mcp"
	id := ask(t, "POST", url, initialize).Header.Get("Mcp-Session-Id")
	ask(t, "POST", url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", id)
	// The SDK takes note of the notification after it has answered it, and until then
	// the calls are its own.
	for ask(t, "POST", url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":1}}}`, "Mcp-Session-Id", id).Header.Get("Content-Type") != "application/json" {
	}
	before := len(f.records(t))
	answered := make(chan string)
	go func() {
		r := ask(t, "POST", url, `{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"name":"forever"}}`, "Mcp-Session-Id", id)
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		answered <- r.Header.Get("Content-Type") + " " + string(text)
	}()
	for {
		r := ask(t, "POST", url, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"long"}}`, "Mcp-Session-Id", id)
		if r.StatusCode != http.StatusAccepted {
			t.Fatal(r.Status)
		}
		select {
		case got := <-answered:
			if !strings.HasPrefix(got, `application/json {"jsonrpc":"2.0","id":"long","result":`) || !strings.Contains(got, `"isError":true`) {
				t.Error(got)
			}
			if records := f.records(t)[before:]; len(records) != 1 || records[0].Cause == nil || records[0].Cause.Kind != string(runtime.Cancelled) {
				t.Errorf("recorded %+v for %s", records, got)
			}
			return
		default:
		}
	}
}

// TestUnusualCallsAreTheSDKs: each of them gets the answer that an SDK server gives, and
// the ordinary one an answer in JSON.
func TestUnusualCallsAreTheSDKs(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	url := f.http(t).URL + "/mcp"
	ordinary := []string{"Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", "add"}
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":1},` + meta + `}}`
	for _, c := range []struct {
		name, body, header, value string
		status                    int
		kind, says                string
	}{
		{"ordinary", call, "", "", 200, "application/json", `"result":{`},
		{"with progress", strings.Replace(call, `"_meta":{`, `"_meta":{"progressToken":1,`, 1), "", "", 200, "text/event-stream", `"result":{`},
		{"with log", strings.Replace(call, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"debug",`, 1), "", "", 200, "text/event-stream", `"result":{`},
		{"another name in the header", call, "Mcp-Name", "sub", 400, "application/json", `-32020`},
		{"another method in the header", call, "Mcp-Method", "tools/list", 400, "application/json", `-32020`},
		{"another version in the header", call, "Mcp-Protocol-Version", "2099-01-01", 400, "application/json", `"error"`},
		{"no type", call, "Content-Type", "text/plain", 415, "text/plain", "application/json"},
		{"accepts no events", call, "Accept", "application/json", 400, "text/plain", "Accept"},
		{"no capabilities", strings.Replace(call, "clientCapabilities", "clientCapability", 1), "", "", 400, "", "clientCapabilities"},
		{"unknown tool", strings.Replace(call, `"name":"add"`, `"name":"sub"`, 1), "Mcp-Name", "sub", 400, "", "unknown tool"},
		{"arguments that do not fit", strings.Replace(call, `"a":1`, `"a":"x"`, 1), "", "", 200, "application/json", `"isError":true`},
	} {
		t.Run(c.name, func(t *testing.T) {
			headers := append([]string(nil), ordinary...)
			if c.header != "" {
				headers = append(headers, c.header, c.value)
			}
			r := ask(t, "POST", url, c.body, headers...)
			text, err := io.ReadAll(r.Body)
			if err != nil {
				t.Fatal(err)
			}
			if r.StatusCode != c.status || !strings.HasPrefix(r.Header.Get("Content-Type"), c.kind) || !strings.Contains(string(text), c.says) {
				t.Errorf("%s, %s: %s", r.Status, r.Header.Get("Content-Type"), text)
			}
		})
	}
}
