package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

// memory returns what the kernel says that a process shares with no other and has written to, in KiB.
func memory(t testing.TB, pid int) (kib int) {
	t.Helper()
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(rollup)) {
		var n int
		if _, err := fmt.Sscanf(line, "Private_Dirty: %d kB", &n); err == nil {
			kib += n
		}
	}
	return kib
}

// asleep reports whether a supervisor is the idle program.
func asleep(pid int) bool {
	program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return strings.HasPrefix(program, "/memfd:")
}

// supervisors returns the processes between a gateway and its server, outermost first.
func supervisors(t testing.TB, p *process.Process) (all []int) {
	t.Helper()
	for pid := p.PID(); ; {
		all = append(all, pid)
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid))
		if err != nil {
			t.Fatal(err)
		}
		if len(strings.Fields(string(text))) != 1 {
			return all
		}
		fmt.Sscan(string(text), &pid)
		if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); !strings.HasPrefix(string(name), "glovebox-") {
			return all
		}
	}
}

// mostIdle is 64 KiB: the stack, the code, and what a kernel with large pages makes of them.
const mostIdle = 64

func TestASupervisorIsIdleWhileNothingHappens(t *testing.T) {
	for _, sandbox := range sandboxes {
		c := sandboxed("echo ready; cat; exit 5", sandbox)
		p := start(t, c)
		line(t, p)
		for _, pid := range supervisors(t, p) {
			within(t, "it is idle", func() bool { return asleep(pid) })
			if kib := memory(t, pid); kib > mostIdle {
				t.Errorf("%s: an idle supervisor has %d KiB", sandbox, kib)
			}
			// Signals are nothing to it.
			for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGCHLD, syscall.SIGUSR1, syscall.SIGSTOP, syscall.SIGCONT} {
				syscall.Kill(pid, s)
			}
			if !asleep(pid) {
				t.Errorf("%s: a signal has woken it", sandbox)
			}
		}
		p.Stdin().Close()
		if exit := p.Exit(); exit != (process.Exit{Code: 5}) {
			t.Errorf("%s: %+v", sandbox, exit)
		}
	}
}

// What a server leaves behind is reaped by a supervisor that goes on being idle.
func TestAnIdleSupervisorLeavesNoZombies(t *testing.T) {
	for _, sandbox := range sandboxes {
		tag := newTag(t)
		p := start(t, sandboxed("for i in $(seq 100); do (setsid true &); done; echo left; exec sleep "+tag, sandbox))
		line(t, p)
		all := supervisors(t, p)
		last := all[len(all)-1]
		within(t, "only the server is left", func() bool {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", last))
			return err == nil && len(strings.Fields(string(text))) == 1
		})
		within(t, "it is idle", func() bool { return asleep(last) })
	}
}

// The gateway's program may be replaced while a supervisor is idle.
func TestAnIdleSupervisorNeedsNoFile(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "gateway")
	copyOfItself(t, program)
	tag := newTag(t)
	gateway := exec.Command(program)
	gateway.Env = append(os.Environ(), "TEST_ROLE=gateway", "TEST_SANDBOX=files", "TMPDIR="+dir, "TEST_SCRIPT="+escape(tag)+"read x")
	out, err := gateway.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	os.Remove(program)
	gateway.Process.Kill()
	gateway.Wait()
	within(t, "all are gone", func() bool {
		left, _ := filepath.Glob(filepath.Join(dir, "glovebox-*"))
		return len(running(t, tag)) == 0 && len(left) == 0
	})
}
