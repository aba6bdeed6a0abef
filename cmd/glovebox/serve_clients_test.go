package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/internal/issuertest"
)

// ask sends one request of the newer era and returns the answer.
func (s *served) ask(token, method, params string) gjson.Result {
	s.t.Helper()
	if params != "" {
		params += ","
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, params, strings.TrimPrefix(stateless, ","))
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.url+"/mcp", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token,
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method,
	} {
		r.Header.Set(name, value)
	}
	if name := gjson.Get(body, "params.name").Str; name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, event, ok := bytes.Cut(text, []byte("data: ")); ok {
		text = event
	}
	return gjson.ParseBytes(text)
}

// TestClientsSeeTheirTools: what gateway.clients says of two people and a scope holds in
// lists, in searches and in calls over HTTP, and a change of the file at once.
func TestClientsSeeTheirTools(t *testing.T) {
	t.Parallel()
	issuer := issuertest.Start(t)
	m := newMachine(t)
	file := filepath.Join(t.TempDir(), "config.yaml")
	server, err := exec.LookPath("upstream-server")
	if err != nil {
		t.Fatal(err)
	}
	config := func(list, aliceSees string) string {
		return fmt.Sprintf(`
policy: {ceiling: L5, unasked: L5, trusted: L5}
gateway:
  list: %s
  search_above: 1
  clients:
    alice: {principals: ['oauth:%q "alice" *'], names: %s}
    readers: {scopes: [read], servers: [notes], names: [read_note]}
    bob: {principals: ['oauth:%q "bob" *'], servers: [library], names: ["s*"]}
upstreams:
  notes: {command: [%q], first_sight: trust, expose: ["*"]}
`, list, issuer.URL, aliceSees, issuer.URL, server)
	}
	put(t, file, config("all", "[add, write_note]"))
	s := m.serve(t, "--oauth-issuer", issuer.URL, "--config", file)
	who := map[string]string{}
	for name, scope := range map[string]string{"alice": "", "bob": "read", "carol": ""} {
		who[name] = issuer.Token(t, s.url+"/mcp", name, scope, nil)
	}
	lists := func(name string) string {
		var names []string
		for _, n := range s.ask(who[name], "tools/list", "").Get("result.tools.#.name").Array() {
			names = append(names, n.Str)
		}
		return strings.Join(names, " ")
	}
	until := func(what string, holds func() bool) {
		t.Helper()
		for started := time.Now(); !holds(); time.Sleep(10 * time.Millisecond) {
			if time.Since(started) > patience {
				t.Fatalf("not %s: alice sees %q, bob %q\n%s", what, lists("alice"), lists("bob"), s.stderr)
			}
		}
	}
	until("the tools of notes", func() bool { return lists("alice") == "add write_note" && lists("bob") == "read_note slow" })
	if got := lists("carol"); got != "" {
		t.Errorf("carol sees %q", got)
	}
	call := func(name, tool, arguments string) string {
		params, _ := json.Marshal(map[string]any{"name": tool, "arguments": json.RawMessage(arguments)})
		answer := s.ask(who[name], "tools/call", strings.Trim(string(params), "{}"))
		return answer.Get("result.content.0.text").Str + answer.Get("error.message").Str
	}
	for _, row := range []struct{ name, tool, want string }{
		{"alice", "write_note", "written"},
		{"alice", "read_note", `unknown tool "read_note"`},
		{"bob", "read_note", "note 7: buy milk"},
		{"bob", "write_note", `unknown tool "write_note"`},
		{"carol", "read_note", `unknown tool "read_note"`},
	} {
		if got := call(row.name, row.tool, `{"id":7}`); !strings.Contains(got, row.want) {
			t.Errorf("%s calls %s: %s", row.name, row.tool, got)
		}
	}

	put(t, file, config("search", "[write_note, add, slow]"))
	until("searching", func() bool { return lists("alice") == "call_tool describe_tool search_tools" })
	if got := call("alice", "search_tools", `{"query":"note"}`); !strings.Contains(got, "write_note") || strings.Contains(got, "read_note") {
		t.Errorf("alice finds %s", got)
	}
	if got := call("bob", "search_tools", `{"query":"note"}`); !strings.Contains(got, "read_note") || strings.Contains(got, "write_note") {
		t.Errorf("bob finds %s", got)
	}
	if got := call("bob", "describe_tool", `{"name":"write_note"}`); !strings.Contains(got, `no tool "write_note"`) {
		t.Errorf("bob is shown %s", got)
	}
	for _, row := range []struct{ name, tool, want string }{
		{"alice", "write_note", "written"}, {"bob", "write_note", "unknown tool"}, {"bob", "read_note", "buy milk"}, {"carol", "read_note", "unknown tool"},
	} {
		if got := call(row.name, "call_tool", fmt.Sprintf(`{"name":%q,"arguments":{"id":7}}`, row.tool)); !strings.Contains(got, row.want) {
			t.Errorf("%s calls %s through call_tool: %s", row.name, row.tool, got)
		}
	}
	// A broken file leaves what was there.
	put(t, file, strings.Replace(config("all", "[add]"), "scopes: [read]", "scope: [read]", 1))
	until("the mistake", func() bool { return strings.Contains(s.stderr.String(), "did you mean scopes?") })
	if got := lists("alice"); got != "call_tool describe_tool search_tools" {
		t.Errorf("after a mistake alice sees %q", got)
	}
}
