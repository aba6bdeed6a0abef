//go:build unix

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// TestEveryRefusalSaysWhatItIs: what each kind of call gets while the cluster has lost its
// majority, at a server that is cut off from it alone, and when all is well again.
func TestEveryRefusalSaysWhatItIs(t *testing.T) {
	t.Parallel()
	f := newFleet(t, "--ceiling", "L5", "--unasked", "L5", "--approval-wait", "100ms")
	a, b := f.all[0], f.all[1]
	f.args = append(f.args, "--session", "enforce") // at the third server
	f.kill(2)
	f.start(2)
	a.does("upstream", "add", "promise", "--env", "EFFECTS="+filepath.Join(t.TempDir(), "effects"), "--", "promise-server")
	a.becomes(fmt.Sprint(papers+3, " tools"), "upstream", "test", "promise")
	a.does("pin", "approve", "promise", "--yes")
	a.does("expose", "promise", "--all")
	a.does("expose", "promise", "burn", "--approve")
	once := t.TempDir()
	a.does("upstream", "add", "once", "--singleton", "--env", "ONCE="+once, "--", "once-server")
	a.becomes("1 tool", "upstream", "test", "once")
	a.does("pin", "approve", "once", "--yes")
	a.does("expose", "once", "--all")
	good := gjson.Get(a.does("token", "create", "good", "--json"), "token").Str
	bad := gjson.Get(a.does("token", "create", "bad", "--json"), "token").Str
	a.does("token", "revoke", "bad")
	for _, r := range f.all {
		r.answers(good, "paper_0", `{}`, "this is paper_0")
		r.answers("t", "take", `{"id":1}`, "taken by")
	}
	// Sessions of the older protocol: one here, one at another server.
	here, there := &caller{address: a.url + "/mcp", legacy: true}, &caller{address: b.url + "/mcp", legacy: true}
	for _, c := range []*caller{here, there} {
		if err := c.begin(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	a.does("test", "--sign", a.specs)
	at := func(i int, token string) *caller { return &caller{address: f.all[i].url + "/mcp", token: token} }
	const (
		passes = "That passes. The same call can be made again in a few seconds."
		pins   = "because the cluster that keeps the pins does not answer"
		tokens = "503 retry-after 2"
	)
	rows := []struct {
		what              string
		by                *caller
		tool, arguments   string
		well, lost, alone string // what the answer has
		always            bool   // at the first try
	}{
		{"a tool that nobody approves", at(0, "t"), "add", `{"a":1}`, `{"sum":2}`, `{"sum":2}`, `{"sum":2}`, true},
		{"a session of this server", here, "add", `{"a":1}`, `{"sum":2}`, `{"sum":2}`, `{"sum":2}`, true},
		{"a session of another server", there, "add", `{"a":1}`, `{"sum":2}`, `{"sum":2}`, "502 retry-after 1", false},
		{"a tool that asks", at(0, "t"), "burn", `{"n":"x"}`, "needs a person's approval", "The store of the approvals does not answer at the moment, which passes.", "The store of the approvals does not answer at the moment, which passes.", false},
		{"a pinned tool", at(0, "t"), "paper_0", `{}`, "this is paper_0", pins, pins, false},
		{"a server that runs once", at(0, "t"), "take", `{"id":2}`, "taken by", pins, pins, false},
		{"a token", at(0, good), "add", `{"a":1}`, `{"sum":2}`, tokens, tokens, false},
		{"a revoked token", at(0, bad), "add", `{"a":1}`, "401 ", tokens, tokens, false},
		{"what the client has met", at(2, "t"), "add", `{"a":1}`, `{"sum":2}`, "what this client has met cannot be read, because the cluster that keeps it does not answer. " + passes, "what this client has met cannot be read, because the cluster that keeps it does not answer. " + passes, false},
	}
	const well, lost, alone = 0, 1, 2
	news := 0
	weather := func(w natstest.Weather) {
		for _, l := range append(f.links[0][:], f.links[2][:]...) {
			l.Set(w, w)
		}
	}
	for _, now := range []struct {
		name  string
		state int
		do    func()
	}{
		{"well", well, func() {}},
		{"majority lost", lost, func() { f.members.Kill(1); f.members.Kill(2) }},
		{"well again", well, func() { f.members.Start(1); f.members.Start(2) }},
		{"cut off alone", alone, func() { weather(natstest.Weather{Cut: true}) }},
		{"no longer cut off", well, func() { weather(natstest.Weather{}) }},
	} {
		// A session whose server found another member just now was taken for gone, and its
		// client has begun a new one here.
		there.address = b.url + "/mcp"
		if err := there.begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		there.address = a.url + "/mcp"
		now.do()
		for _, r := range rows {
			began := time.Now()
			for want, last := [3]string{r.well, r.lost, r.alone}[now.state], ""; ; time.Sleep(20 * time.Millisecond) {
				got := r.by.says(t, r.tool, r.arguments)
				if strings.Contains(got, want) {
					break
				}
				if got != last {
					t.Logf("%s: %s after %v says first: %s", now.name, r.what, time.Since(began).Round(time.Millisecond), got)
					last = got
				}
				if r.always || r.what == "a revoked token" && strings.Contains(got, "sum") || time.Since(began) > patience {
					t.Fatalf("%s, %s: %s, want %s", now.name, r.what, got, want)
				}
			}
			t.Logf("%s: %s after %v", now.name, r.what, time.Since(began).Round(time.Millisecond))
		}
		// What an operator does: with the exit code and the code of the error. What a person
		// then does is to do it again.
		for _, v := range []struct {
			verb       string
			well, lost string
		}{
			{"publish SPECS --nats CLUSTER", "3 specs published by", "store-unreachable"},
			{"token create NEW", "gbx_", "store-unreachable"},
			{"expose promise burn --approve", "it offers", "store-unreachable"},
			{"approvals list", "burn", "store-unreachable"},
			{"pin list", "paper_0", "paper_0"},
			{"token list", "good", "good"},
		} {
			want, code := v.well, exitGood
			if now.state != well && v.lost != v.well {
				want, code = v.lost, exitIncomplete
			}
			for began := time.Now(); ; {
				news++ // a token that was made and not acknowledged has its name
				cmd := a.command(strings.Fields(strings.NewReplacer("SPECS", a.specs, "CLUSTER", f.urls[0], "NEW", fmt.Sprint("n", news)).Replace(v.verb))...)
				out, _ := cmd.CombinedOutput()
				if strings.Contains(string(out), want) && cmd.ProcessState.ExitCode() == code {
					break
				}
				if time.Since(began) > patience {
					t.Fatalf("%s, %s: %d, %s", now.name, v.verb, cmd.ProcessState.ExitCode(), out)
				}
			}
		}
	}
}

// says calls a tool and returns the text of the answer, or status, Retry-After and body.
func (c *caller) says(t *testing.T, tool, arguments string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	answer, said, err := c.tool(ctx, tool, arguments)
	switch {
	case err != nil:
		return err.Error()
	case answer.StatusCode == 200:
		return text(said)
	}
	return fmt.Sprintf("%d retry-after %s: %s", answer.StatusCode, answer.Header.Get("Retry-After"), said)
}
