package mcpserver_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
)

// TestHoldersSeeTheirTools: names and cap hold in lists and in calls, within what the sets
// of a client show, and the record names the holder.
func TestHoldersSeeTheirTools(t *testing.T) {
	seen, err := telemetry.Open(t.Context(), telemetry.Config{}, "test", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer seen.Close(context.Background())
	f := newFixture(t, mcpserver.Config{Telemetry: seen}, add, tool("tidy", "return 1;", `"sandboxOverrides": {"fileWrite": true}`), tool("age", "return 1;", ""))
	l0 := risk.L0
	holders := map[string]mcpserver.Holder{
		"all": {Principal: "named:all"}, "a": {Principal: "named:a", Names: []string{"a*"}}, "low": {Principal: "named:low", Cap: &l0},
		"old": {Principal: "named:old", Cap: &l0},
	}
	url := f.endpoint(t, mcpserver.HTTP{Named: func(_ context.Context, text string) (mcpserver.Holder, bool, error) {
		h, ok := holders[text]
		return h, ok, nil
	}})
	names := func(token string) string {
		r := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+meta+`}}`,
			"Authorization", "Bearer "+token, "Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/list")
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, name := range gjson.GetBytes(text, "result.tools.#.name").Array() {
			all = append(all, name.Str)
		}
		return strings.Join(all, " ")
	}
	f.server.Allot(nil)
	for token, want := range map[string]string{"all": "add age tidy", "a": "add age", "low": "add age", "nobody": ""} {
		if got := names(token); got != want {
			t.Errorf("%s sees %q, want %q", token, got, want)
		}
	}
	f.server.Allot([]mcpserver.ToolSet{{Principals: []string{"named:a"}, Names: []string{"add", "tidy"}}})
	for token, want := range map[string]string{"all": "", "a": "add", "low": ""} {
		if got := names(token); got != want {
			t.Errorf("with sets %s sees %q, want %q", token, got, want)
		}
	}
	f.server.Allot(nil)
	r := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tidy","arguments":{},`+meta+`}}`,
		"Authorization", "Bearer low", "Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", "tidy")
	if text, _ := io.ReadAll(r.Body); !strings.Contains(string(text), `unknown tool`) {
		t.Errorf("a tool above the cap: %s", text)
	}
	if r := callAdd(t, url, "Bearer a"); r.StatusCode != 200 {
		t.Error(r.Status)
	} else {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	if records := f.records(t); len(records) != 1 || records[0].Caller != "named:a" {
		t.Errorf("on record: %+v", records)
	}
	if r := ask(t, "GET", url+"/metrics", "", "Authorization", "Bearer all"); r.StatusCode != http.StatusForbidden && r.StatusCode != http.StatusUnauthorized {
		t.Errorf("metrics are the operator's: %s", r.Status)
	}
}

// TestAStreamEndsWithItsHolder: a stream that is open when its token is revoked ends.
func TestAStreamEndsWithItsHolder(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	valid, revoke := context.WithCancel(t.Context())
	url := f.endpoint(t, mcpserver.HTTP{Named: func(_ context.Context, text string) (mcpserver.Holder, bool, error) {
		return mcpserver.Holder{Principal: "named:a", Valid: valid, Expires: time.Now().Add(time.Hour)}, text == "a" && valid.Err() == nil, nil
	}})
	r := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+meta+`}}`,
		"Authorization", "Bearer a", "Mcp-Protocol-Version", stateless, "Mcp-Method", "subscriptions/listen")
	if r.StatusCode != 200 {
		t.Fatal(r.Status)
	}
	revoke()
	if _, err := io.ReadAll(r.Body); err != nil && !strings.Contains(err.Error(), "EOF") { // returns when the stream ends
		t.Error(err)
	}
	if r := callAdd(t, url, "Bearer a"); r.StatusCode != 401 {
		t.Error(r.Status)
	}
}

// TestATokenNobodyCanLookUp is not called wrong: its client would throw it away.
func TestATokenNobodyCanLookUp(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	url := f.endpoint(t, mcpserver.HTTP{Named: func(context.Context, string) (mcpserver.Holder, bool, error) {
		return mcpserver.Holder{}, false, errors.New("the leader is away")
	}})
	r := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+meta+`}}`, "Authorization", "Bearer a", "Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/list")
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if r.StatusCode != 503 || r.Header.Get("Retry-After") != "2" || r.Header.Get("WWW-Authenticate") != "" || !strings.Contains(string(text), "cannot be found out") || strings.Contains(string(text), "leader") {
		t.Errorf("%s %v: %s", r.Status, r.Header, text)
	}
}
