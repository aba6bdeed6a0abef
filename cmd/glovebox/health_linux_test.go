package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// TestHealth: whatever is wrong with a running server, its health check fails, with the exit
// code that says whether it answers, and succeeds again when that is over.
func TestHealth(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	becomes := func(want int) string {
		t.Helper()
		for started := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			cmd := m.command("health", "--json")
			out, _ := cmd.Output()
			if cmd.ProcessState.ExitCode() == want {
				if healthy := gjson.GetBytes(out, "healthy").Bool(); healthy != (want == exitGood) {
					t.Errorf("exit code %d with %s", want, out)
				}
				return gjson.GetBytes(out, "reason").Str
			}
			if time.Since(started) > time.Minute {
				t.Fatalf("exit code %d instead of %d: %s", cmd.ProcessState.ExitCode(), want, out)
			}
		}
	}
	becomes(exitIncomplete)
	server := m.start(t, "server", "--listen", "127.0.0.1:0")
	becomes(exitGood)

	record := filepath.Join(m.state, "glovebox", "audit")
	if err := os.Rename(record, record+".away"); err != nil {
		t.Fatal(err)
	}
	if reason := becomes(exitNo); reason == "" {
		t.Error("it does not say what is wrong")
	}
	if err := os.Rename(record+".away", record); err != nil {
		t.Fatal(err)
	}
	becomes(exitGood)

	if err := server.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	becomes(exitIncomplete)
	if err := server.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	becomes(exitGood)
}
