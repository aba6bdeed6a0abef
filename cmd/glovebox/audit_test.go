package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheRecordIsArchivedWhileServing: a running server moves full files of its record
// away and says so, and verify checks what is here, all of it, and the archive alone.
func TestTheRecordIsArchivedWhileServing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	archive := filepath.Join(t.TempDir(), "archive")
	config := filepath.Join(m.state, "config", "glovebox")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(config, "config.yaml"), "audit: {segment_size: 2KiB, max_size: 1KiB, archive: "+archive+"}\n")
	p := m.start(t, "server", "--stdio").begin()
	segment := filepath.Join(archive, "audit.jsonl.00000000000000000001")
	for id, started := 1, time.Now(); ; id++ {
		p.adds(id, "")
		if _, err := os.Stat(segment); err == nil {
			break
		}
		if time.Since(started) > patience {
			t.Fatal("nothing is archived")
		}
	}
	p.told("the record up to call", "is archived")
	p.leave()
	verify := func(args ...string) string {
		t.Helper()
		out, err := m.command(append([]string{"audit"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return string(out)
	}
	if out := verify("verify"); !strings.Contains(out, " were archived at ") || !strings.Contains(out, ", 0 defects") {
		t.Errorf("verify: %s", out)
	}
	if out := verify("verify", "--archive", archive); strings.Contains(out, "were archived") || !strings.Contains(out, ", 0 defects") {
		t.Errorf("verify --archive: %s", out)
	}
	key := strings.TrimSpace(verify("checkpoint", "--key"))
	if out := verify("verify", "--archive", archive, "--public-key", key); !strings.Contains(out, ", 0 defects") {
		t.Errorf("verify --public-key: %s", out)
	}
	if out := verify("show", "1", "--audit", filepath.Join(archive, "audit.jsonl")); !strings.Contains(out, `"seq": 1`) {
		t.Errorf("show: %s", out)
	}
	text, err := os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(segment, []byte(strings.Replace(string(text), "L0", "L5", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--archive", archive}, {"--archive", archive, "--public-key", key}} {
		out, err := m.command(append([]string{"audit", "verify"}, args...)...).Output()
		if fmt.Sprint(err) != "exit status 1" || !strings.Contains(string(out), "record 1 edited") {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}
