package mcpserver_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// TestEveryPrincipalHasItsWorkspace: another principal does not see what one writes;
// the same principal does, with another token and another session.
func TestEveryPrincipalHasItsWorkspace(t *testing.T) {
	all := files.NewWorkspaces(t.TempDir(), files.Quota{})
	t.Cleanup(func() { all.Close() })
	lend := func(principal string, world *host.World) (func(), error) {
		w, done, err := all.For(principal)
		world.Workspace = w
		return done, err
	}
	note := tool("note", `const before = safety.fs.exists('note') ? safety.fs.readText('note') : 'nothing'; safety.fs.writeText('note', text); return before;`,
		`"params":[{"name":"text","type":"STRING","required":true,"testValue":"x"}],"sandboxOverrides":{"fileRead":true,"fileWrite":true},"humanInTheLoop":{"mode":"DISABLED"}`)
	policy := risk.DefaultLevelPolicy()
	policy.Trusted = risk.L5
	calls := judged(policy)
	calls.Lend = lend
	f := newFixture(t, mcpserver.Config{Calls: calls}, note)
	i := newIssuer(t)
	url := f.endpoint(t, mcpserver.HTTP{OAuth: i.guard(t)})
	for _, row := range []struct{ subject, text, before string }{
		{"alice", "a1", "nothing"}, {"bob", "b1", "nothing"}, {"alice", "a2", "a1"}, {"bob", "b2", "b1"}, {"../alice", "c1", "nothing"},
	} {
		r := ask(t, "POST", url+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note","arguments":{"text":"`+row.text+`"},`+meta+`}}`,
			"Authorization", "Bearer "+i.token(t, row.subject, "", nil), "Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", "note")
		text, err := io.ReadAll(r.Body)
		if err != nil || !strings.Contains(string(text), `"structuredContent":"`+row.before+`"`) {
			t.Errorf("%s writes %s: %s, %v", row.subject, row.text, text, err)
		}
	}
}

// TestNothingLent: a call whose workspace cannot be opened is refused and on
// record.
func TestNothingLent(t *testing.T) {
	f := newFixture(t, mcpserver.Config{Calls: governed.Config{Lend: func(string, *host.World) (func(), error) { return nil, errors.New("the disk is full") }}}, add)
	result := call(t, f.stdio(t, stateless, nil), "add", `{"a":1,"b":1}`)
	if text := textOf(t, result); !result.IsError || !strings.Contains(text, "its workspace cannot be opened") || strings.Contains(text, "disk") {
		t.Error(text)
	}
	if got := f.records(t); len(got) != 1 || !strings.Contains(got[0].Decision, "not lent") || got[0].Outcome != audit.Refused {
		t.Errorf("%+v", got)
	}
}
