package process

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// A supervisor has nothing to do between the start and the end of its server but to reap what
// the server leaves behind. For that time it becomes a program of some 300 bytes, which the
// kernel gives two pages of memory instead of the megabytes of ours. It stays the same process: the
// first of its PID namespace or the child subreaper, parent of the server, with the same descriptors.
// When the server has ended, an order comes or the gateway is gone, it becomes our program again.

// Descriptors of the idle program beside those that a supervisor has; idle_linux_*.s has the same
// numbers. A supervisor has few of its own.
const (
	idleSignals = 20 // a signalfd of every signal
	idleOurs    = 21 // our program
	idleParent  = 22 // the folder that holds the private folder
)

// rest is what a supervisor has to know when it is woken. It is an argument of the idle
// program, so it shows in lists of processes.
type rest struct {
	Folder string     `json:"folder,omitempty"` // the private one, in idleParent
	Own    namespaces `json:"own,omitzero"`
	View   bool       `json:"view,omitempty"`
	Guard  bool       `json:"guard,omitempty"` // of a supervisor
}

// idle becomes the idle program. It returns only if it cannot; what it opened stays open then.
func idle(pid int, o start, f folder) error {
	parent, err := f.parent.Open(".")
	if err != nil {
		return err
	}
	return sleep(pid, o.Name, rest{Folder: f.name, Own: o.Own, View: o.View}, map[int]int{idleParent: int(parent.Fd())})
}

// sleep becomes the idle program, which wakes with r when a child has ended. It gives it
// files, by the number each shall have, beside the three that it always has.
func sleep(pid int, name string, r rest, files map[int]int) error {
	program := idleProgram()
	if program == nil {
		return fmt.Errorf("there is none for %s", runtime.GOARCH)
	}
	state, err := json.Marshal(r)
	if err != nil {
		return err
	}
	exe, err := memoryFile(program)
	if err != nil {
		return err
	}
	ours, err := unix.Open("/proc/self/exe", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	// Blocked, signals of the server to its supervisor do nothing and those of the kernel are
	// kept; the mask is the exec's.
	var all, before unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^uint64(0)
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, &before); err != nil {
		return err
	}
	defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	signals, err := unix.Signalfd(-1, &all, unix.SFD_NONBLOCK|unix.SFD_CLOEXEC)
	if err != nil {
		return err
	}
	files[idleSignals], files[idleOurs] = signals, ours
	for _, keep := range []int{3, 4} {
		if _, given := files[keep]; !given {
			files[keep] = keep
		}
	}
	// None of the numbers may be taken away from the others while they are given.
	const above = 32
	if exe, err = unix.FcntlInt(uintptr(exe), unix.F_DUPFD_CLOEXEC, above); err != nil {
		return err
	}
	for to, from := range files {
		if files[to], err = unix.FcntlInt(uintptr(from), unix.F_DUPFD_CLOEXEC, above); err != nil {
			return err
		}
	}
	for to, from := range files {
		if err := unix.Dup3(from, to, 0); err != nil {
			return err
		}
	}
	return unix.Exec("/proc/self/fd/"+strconv.Itoa(exe), []string{superviseMark, name, strconv.Itoa(pid), string(state)}, os.Environ())
}

// memoryFile makes a file that can be executed and is in no folder.
func memoryFile(content []byte) (int, error) {
	fd, err := unix.MemfdCreate(superviseMark, unix.MFD_CLOEXEC|unix.MFD_EXEC)
	if err == unix.EINVAL { // before Linux 6.3
		fd, err = unix.MemfdCreate(superviseMark, unix.MFD_CLOEXEC)
	}
	if err != nil {
		return 0, err
	}
	_, err = unix.Write(fd, content)
	return fd, err
}

// woken is the main of a supervisor that was idle. Its server may have ended, and then waits to be reaped.
func woken(args []string, orders, reports *os.File) int {
	ready()
	pid, err := strconv.Atoi(args[2])
	var r rest
	if err == nil {
		err = json.Unmarshal([]byte(args[3]), &r)
	}
	if err != nil {
		return 1
	}
	if r.Guard {
		return sweep()
	}
	f := folder{name: r.Folder}
	if err := unix.Fchdir(idleParent); err == nil {
		f.parent, _ = os.OpenRoot(".")
	}
	return finish(pid, start{Name: args[1], Own: r.Own, View: r.View}, f, orders, reports)
}
