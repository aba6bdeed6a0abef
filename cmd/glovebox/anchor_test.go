package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// TestAClusterRemembersTheRecord: whoever has the whole state folder of a server can
// put an earlier state of it back, anchor and all. What the cluster keeps knows better,
// in either form; a record that was exchanged is found as well.
func TestAClusterRemembersTheRecord(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"store", "stream"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			cluster := natstest.One(t, nil)
			m := newMachine(t)
			file := filepath.Join(t.TempDir(), "config.yaml")
			configure := func(name string) {
				put(t, file, fmt.Sprintf("state: {nats: {url: %q, anchor_%s: true}}\naudit: {name: %s}\n", cluster.ClientURL(), where, name))
			}
			configure("ours")
			serve := func(id int) {
				t.Helper()
				p := m.start(t, "server", "--stdio", "--config", file)
				p.begin().adds(id, "")
				p.leave()
			}
			verify := func() (string, error) {
				cmd := m.command("audit", "verify")
				cmd.Env = append(cmd.Env, "GLOVEBOX_STATE_NATS_URL="+cluster.ClientURL(), "GLOVEBOX_STATE_NATS_ANCHOR_"+strings.ToUpper(where)+"=true", "GLOVEBOX_AUDIT_NAME=ours")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			refused := func(want string) {
				t.Helper()
				out, err := m.command("serve", "--stdio", "--folder", m.specs, "--config", file).CombinedOutput()
				if fmt.Sprint(err) != "exit status 2" || !strings.Contains(string(out), want) {
					t.Errorf("a start after that: %v: %s", err, out)
				}
			}
			serve(1)
			saved := filepath.Join(t.TempDir(), "saved")
			copied(t, m.state, saved)
			serve(2)
			if out, err := verify(); err != nil {
				t.Errorf("%s, %v", out, err)
			}
			restore := func(from string) {
				t.Helper()
				if err := os.RemoveAll(m.state); err != nil {
					t.Fatal(err)
				}
				copied(t, from, m.state)
			}
			latest := filepath.Join(t.TempDir(), "latest")
			copied(t, m.state, latest)
			restore(saved)
			if out, err := verify(); err == nil || !strings.Contains(out, "rolled-back") || !strings.Contains(out, "of the cluster") {
				t.Errorf("verify after a rollback: %s, %v", out, err)
			}
			refused("it was rolled back")
			restore(latest)
			serve(3)

			for _, name := range []string{"audit", "anchors"} {
				if err := os.RemoveAll(filepath.Join(m.state, "glovebox", name)); err != nil {
					t.Fatal(err)
				}
			}
			refused("taken away or exchanged")
			configure("another") // as the message says
			serve(4)
		})
	}
}

// copied copies a folder with its modes and times.
func copied(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
