package main

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// replica is one of several servers of a cluster, with a machine of its own.
type replica struct {
	*machine
	*served
}

// replicas starts servers on machines of their own, which share a cluster.
func replicas(t *testing.T, url string, n int, args ...string) (all []replica) {
	t.Helper()
	for range n {
		m := newMachine(t)
		all = append(all, replica{m, m.serve(t, append([]string{"--nats", url, "--ceiling", "L5", "--unasked", "L5"}, args...)...)})
	}
	return all
}

// does runs a verb on the machine, which must succeed, and returns what it says.
func (r replica) does(args ...string) string {
	r.t.Helper()
	out, err := r.command(args...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("glovebox %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// becomes runs a verb until what it says holds a text: what another server changed is
// here a moment later.
func (r replica) becomes(want string, args ...string) {
	r.t.Helper()
	for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		out, _ := r.command(args...).CombinedOutput()
		if strings.Contains(string(out), want) {
			return
		}
		if time.Since(started) > patience {
			r.t.Fatalf("glovebox %s never says %q:\n%s", strings.Join(args, " "), want, out)
		}
	}
}

// called calls a tool over HTTP and returns the status and the answer.
func (r replica) called(token, tool, arguments string) (int, gjson.Result) {
	r.t.Helper()
	answer := r.post(token, tool, arguments)
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer.StatusCode, gjson.ParseBytes(text)
}

// answers calls a tool until its answer holds a text.
func (r replica) answers(token, tool, arguments, want string) {
	r.t.Helper()
	for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		status, answer := r.called(token, tool, arguments)
		if strings.Contains(answer.Raw, want) {
			return
		}
		if time.Since(started) > patience {
			r.t.Fatalf("%s never answers %q: %d %s", tool, want, status, answer.Raw)
		}
	}
}

// TestThreeServersAreOneGateway: what an operator does at one server of a cluster holds at
// all of them, and what a client met at one is known at the others.
func TestThreeServersAreOneGateway(t *testing.T) {
	cluster := natstest.Three(t)
	changed := filepath.Join(t.TempDir(), "changed")
	t.Setenv("UPSTREAM_CHANGED", changed)
	all := replicas(t, natstest.URL(cluster...), 3, "--nats-replicas", "3", "--session", "enforce")
	a, b, c := all[0], all[1], all[2]

	// A server is registered here, reviewed there and exposed by the third.
	a.does("upstream", "add", "notes", "--pass-env", "UPSTREAM_CHANGED", "--", "upstream-server")
	b.becomes("notes", "upstream", "list")
	b.becomes("2 tools", "upstream", "test", "notes")
	b.does("pin", "approve", "notes", "--yes")
	c.becomes("next: glovebox", "expose", "notes", "--all")
	for _, r := range all {
		r.answers("t", "read_note", `{"id":7}`, "note 7: buy milk")
	}

	// What is revoked at one is gone at the others.
	b.does("pin", "revoke", "notes", "write_note", "--note", "not here")
	for _, r := range all {
		r.becomes("revoked", "pin", "list", "notes")
		r.answers("t", "write_note", `{"id":7}`, "unknown tool")
	}

	// A named token is good everywhere, until it is revoked anywhere.
	token := gjson.Get(a.does("token", "create", "ada", "--json"), "token").Str
	for _, r := range all {
		r.answers(token, "read_note", `{"id":1}`, "note 1: buy milk")
	}
	c.does("token", "revoke", "ada")
	for _, r := range all {
		for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			if status, _ := r.called(token, "read_note", `{"id":1}`); status == 401 {
				break
			} else if time.Since(started) > patience {
				t.Fatalf("a revoked token still gets %d", status)
			}
		}
	}

	// What the client met at one server, all know: an operator resets it at another.
	var session struct {
		Principal string
		Label     struct{ Origins []string }
	}
	for line := range strings.Lines(a.does("session", "list", "--json")) {
		if strings.Contains(line, `"principal":"token:`) {
			decode(t, line, &session)
		}
	}
	if !slices.Contains(session.Label.Origins, "notes") {
		t.Errorf("the session of the client is %+v", session)
	}
	b.does("session", "reset", session.Principal)
	c.becomes("It has read no private data", "session", "show", session.Principal)
}

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
