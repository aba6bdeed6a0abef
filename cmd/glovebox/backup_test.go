package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTheBackupPageIsTrue does what the page says: a backup while calls are made and a
// question is open, a server that loses its state, and a restored one that knows both.
func TestTheBackupPageIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "how-to", "backup-and-upgrade.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	for _, block := range regexp.MustCompile("(?s)```sh (\\w+)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		blocks[block[1]] = block[2]
	}
	m := newMachine(t)
	state, backup := filepath.Join(m.state, "glovebox"), filepath.Join(t.TempDir(), "backup")
	run := func(name string) string {
		t.Helper()
		cmd := exec.Command("sh", "-ec", blocks[name])
		cmd.Env = append(m.command().Env, "STATE="+state, "BACKUP="+backup, "XDG_CACHE_HOME="+cacheDir(), "GLOVEBOX_LISTEN=127.0.0.1:0")
		out, err := cmd.CombinedOutput()
		if err != nil || blocks[name] == "" {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		return string(out)
	}

	p := m.start(t, "server", "--stdio").begin()
	p.adds(1, "")
	p.send(callTool(2, "tidy", `{"n":2}`, strings.Replace(stateless, `{"elicitation":{}}`, `{}`, 1)))
	for started := time.Now(); len(m.open(t)) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(started) > patience {
			t.Fatal("no question comes up")
		}
	}
	question := m.open(t)[0].ID
	calls, stop := make(chan struct{}), make(chan struct{})
	go func() { // a busy server
		defer close(calls)
		for id := 100; ; id++ {
			select {
			case <-stop:
				return
			default:
				p.in.Write([]byte(callTool(id, "add", `{"a":1}`, "") + "\n"))
				time.Sleep(time.Millisecond)
			}
		}
	}()
	for range 3 {
		run("backup")
		run("check")
		if err := os.Rename(backup, backup+fmt.Sprint(time.Now().UnixNano())); err != nil {
			t.Fatal(err)
		}
	}
	m.signs(t, m.specs)
	put(t, filepath.Join(state, "signin.key"), "a key")
	run("backup")
	everythingIsIn(t, state, backup)
	if err := os.Remove(filepath.Join(state, "signin.key")); err != nil {
		t.Fatal(err)
	}
	close(stop)
	<-calls
	p.cmd.Process.Kill()
	<-p.ended

	if err := os.RemoveAll(filepath.Join(state, "store")); err != nil { // the disaster
		t.Fatal(err)
	}
	if out := run("restore"); !strings.Contains(out, "0 defects") {
		t.Errorf("restored: %s", out)
	}
	run("upgrade")
	p = m.start(t, "restored", "--stdio").begin()
	p.adds(3, "")
	if open := m.open(t); len(open) != 1 || open[0].ID != question {
		t.Errorf("open after the restoration: %+v, want %s", open, question)
	}
	p.leave()
	run("check")

	// A file of a newer version: it is refused, named, and left alone.
	passes := filepath.Join(state, "passes.json")
	newer := `{"version": 99, "passes": {}}`
	put(t, passes, newer)
	p = m.start(t, "older", "--stdio")
	p.told("passes.json", "version 99")
	p.leave()
	if text, err := os.ReadFile(passes); err != nil || string(text) != newer {
		t.Errorf("%s, %v", text, err)
	}
	out, err := m.command("doctor").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "version 99") {
		t.Errorf("doctor: %v: %s", err, out)
	}
}

// everythingIsIn wants whatever a state folder holds in its backup, but for what the
// page says not to copy.
func everythingIsIn(t *testing.T, state, backup string) {
	t.Helper()
	all, err := os.ReadDir(state)
	if err != nil || len(all) < 8 {
		t.Fatalf("%v: %v", err, all)
	}
	for _, entry := range all {
		if name := entry.Name(); name != "run" && filepath.Ext(name) != ".lock" {
			if _, err := os.Stat(filepath.Join(backup, name)); err != nil {
				t.Errorf("not in the backup: %s", name)
			}
		}
	}
}
