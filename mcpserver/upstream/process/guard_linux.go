package process

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A supervisor that is the first process of a PID namespace takes everything with it when it is
// killed. One that is not has a guard: another supervisor, whose only server it is. What the
// killed one leaves is adopted by its guard and killed. When the guard is killed, the gateway
// closes the orders of the supervisor, which ends everything.

// guarded reports whether a supervisor has one.
func guarded(own namespaces) bool { return !own.PID }

// guard is the main of a guard.
func guard(name string) int {
	ready()
	// Where this fails it fails for the supervisor too, which says so.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	program, err := self()
	if err != nil {
		return 1
	}
	pid, err := syscall.ForkExec(program, []string{superviseMark, name}, &syscall.ProcAttr{
		Dir: "/", Env: os.Environ(), Files: []uintptr{0, 1, 2, 3, 4},
		// Until its server runs, it ends with its guard.
		Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return 1
	}
	syscall.Close(0)
	syscall.Close(1)
	// The orders are the supervisor's to read.
	if never, err := unix.Eventfd(0, unix.EFD_CLOEXEC); err == nil {
		_ = sleep(pid, name, rest{Guard: true}, map[int]int{3: never})
	}
	for {
		var status syscall.WaitStatus
		if ended, err := syscall.Wait4(-1, &status, 0, nil); ended == pid || err == syscall.ECHILD {
			return sweep()
		}
	}
}

// sweep kills everything below this process, and returns when nothing is left.
func sweep() int {
	left := reap(nil)
	again := time.NewTicker(killEvery)
	defer again.Stop()
	for {
		killAll(namespaces{}, 0)
		select {
		case <-left:
			return 0
		case <-again.C:
		}
	}
}
