package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// TestNamedTokens: two people of one server, made while it runs and while it does not.
func TestNamedTokens(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	run := func(args ...string) string {
		t.Helper()
		cmd := m.command(append([]string{"token"}, args...)...)
		cmd.Stderr = io.Discard
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	ada := run("create", "ada", "--tools", "add") // no server runs
	s := m.serve(t)
	bob := run("create", "bob", "--cap", "L2")
	for _, row := range []struct {
		name, token, tool, arguments string
		want                         int
		says                         string
	}{
		{"the first token", "t", "slow", `{"ms":1}`, 200, `"slept":1`},
		{"ada", ada, "add", `{"a":1}`, 200, `"sum":2`},
		{"a tool that is not ada's", ada, "slow", `{"ms":1}`, 400, "unknown tool"},
		{"bob", bob, "slow", `{"ms":1}`, 200, `"slept":1`},
		{"a tool above bob's cap", bob, "tidy", `{}`, 400, "unknown tool"},
		{"another token", ada + "x", "add", `{"a":1}`, 401, "no longer, valid"},
	} {
		r := s.post(row.token, row.tool, row.arguments)
		text, _ := io.ReadAll(r.Body)
		if r.StatusCode != row.want || !strings.Contains(string(text), row.says) {
			t.Errorf("%s: %s %s", row.name, r.Status, text)
		}
	}
	var all []struct{ Name string }
	if err := json.Unmarshal([]byte(run("list", "--json")), &all); err != nil || len(all) != 2 || all[0].Name != "ada" || all[1].Name != "bob" {
		t.Errorf("%+v, %v", all, err)
	}
	next := run("rotate", "ada")
	run("revoke", "bob")
	for _, row := range []struct {
		name, token string
		want        int
	}{{"ada's old token", ada, 401}, {"ada's new token", next, 200}, {"bob, revoked", bob, 401}} {
		if r := s.post(row.token, "add", `{"a":1}`); r.StatusCode != row.want {
			t.Errorf("%s: %s", row.name, r.Status)
		}
	}
	callers := strings.Join(m.callers(t), " ")
	if !strings.Contains(callers, "named:ada") || !strings.Contains(callers, "named:bob") || strings.Contains(s.stderr.String(), next) {
		t.Errorf("on record: %s\n%s", callers, s.stderr)
	}
}
