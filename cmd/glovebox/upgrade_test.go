//go:build upgrade

package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

var previous = flag.String("previous", "", "the program of an earlier commit; see make upgrade")

// with starts a server on the machine with one of the two programs.
func (m *machine) with(t *testing.T, program string, args ...string) replica {
	t.Helper()
	return replica{m, m.serveIn(t, func(cmd *exec.Cmd) {
		if program != "" {
			cmd.Path, cmd.Err = program, nil
		}
	}, args...)}
}

// stop tells a server to stop and waits until it has, without an error.
func (r replica) stop(t *testing.T) {
	t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.ended:
		if r.err != nil {
			t.Errorf("%v: %s", r.err, r.stderr)
		}
	case <-time.After(3 * time.Minute):
		t.Fatalf("it does not end: %s", r.stderr)
	}
}

// TestAnUpgradeOneAfterTheOther: three servers of an earlier commit are replaced one after
// the other by those of this one, each with its own state, and then one of them back. What
// is shared holds at all of them at every step, in both directions.
func TestAnUpgradeOneAfterTheOther(t *testing.T) {
	if *previous == "" {
		t.Fatal("there is no earlier program: make upgrade builds it")
	}
	url := natstest.URL(natstest.Three(t)...)
	args := []string{"--nats", url, "--nats-replicas", "3", "--ceiling", "L5", "--unasked", "L5", "--session", "enforce"}
	var all []replica
	for range 3 {
		all = append(all, newMachine(t).with(t, *previous, args...))
	}
	a := all[0]
	a.does("upstream", "add", "notes", "--", "upstream-server")
	a.becomes("2 tools", "upstream", "test", "notes")
	a.does("pin", "approve", "notes", "--yes")
	a.does("expose", "notes", "--all")
	kept := gjson.Get(a.does("token", "create", "kept", "--json"), "token").Str
	holds := func(step string) {
		t.Helper()
		t.Log(step)
		for n, r := range all {
			r.answers(kept, "add", `{"a":41}`, "42")
			r.answers(kept, "read_note", `{"id":7}`, "note 7: buy milk")
			// What one does, the next one knows.
			next := all[(n+1)%len(all)]
			name := strings.ToLower(step) + string(rune('a'+n))
			token := gjson.Get(r.does("token", "create", name, "--json"), "token").Str
			next.answers(token, "add", `{"a":1}`, "2")
			next.does("token", "revoke", name)
			for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
				if status, _ := r.called(token, "add", `{"a":1}`); status == 401 {
					break
				} else if time.Since(started) > time.Minute {
					t.Fatalf("%s: a revoked token still gets %d", step, status)
				}
			}
		}
	}
	holds("before")
	for n, step := range []string{"one", "two", "three"} {
		all[n].stop(t)
		all[n] = all[n].machine.with(t, "", args...)
		holds(step)
	}
	for started := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		found, code := all[0].verified(t, url)
		if code == 0 && len(found.Get("writers").Array()) == 3 {
			break
		}
		if time.Since(started) > time.Minute {
			t.Fatalf("the records of the cluster: exit code %d, %s", code, found)
		}
	}
	// And back: no format has changed that an earlier program would have to refuse.
	all[2].stop(t)
	all[2] = all[2].machine.with(t, *previous, args...)
	holds("back")
	for _, r := range all {
		r.does("audit", "verify")
	}

	// A record in a format one newer is refused by both, and left alone.
	all[1].stop(t)
	head := filepath.Join(all[1].state, "glovebox", "audit", "audit.jsonl.head")
	text, err := os.ReadFile(head)
	if err != nil {
		t.Fatal(err)
	}
	text[7]++ // the version of its format
	put(t, head, string(text))
	for _, program := range []string{*previous, ""} {
		cmd := all[1].command(append([]string{"serve", "--listen", "127.0.0.1:0", "--folder", all[1].specs}, args...)...)
		if program != "" {
			cmd.Path, cmd.Err = program, nil
		}
		out, err := cmd.CombinedOutput()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != exitUsage || !strings.Contains(string(out), "format that this version does not know") {
			t.Errorf("%q: %v: %s", program, err, out)
		}
	}
	if now, err := os.ReadFile(head); err != nil || !slices.Equal(now, text) {
		t.Errorf("what was refused was changed: %v", err)
	}
}
