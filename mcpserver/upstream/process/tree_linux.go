package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// children lists the children of a process, of all of its threads.
func children(pid string) ([]string, error) {
	threads, err := os.ReadDir("/proc/" + pid + "/task")
	if err != nil {
		return nil, err
	}
	var all []string
	for _, t := range threads {
		list, err := os.ReadFile(filepath.Join("/proc", pid, "task", t.Name(), "children"))
		if err != nil {
			if pid == "self" {
				return nil, err
			}
			continue // the thread has ended
		}
		all = append(all, strings.Fields(string(list))...)
	}
	return all, nil
}

// mostSeen bounds a look at the tree: what is beyond it is over any limit.
const mostSeen = 1 << 16

// descendants lists everything below a process, parents first.
func descendants(pid string) []string {
	all, err := children(pid)
	if err != nil {
		return nil
	}
	for i := 0; i < len(all) && len(all) < mostSeen; i++ {
		below, _ := children(all[i]) // it may have ended
		all = append(all, below...)
	}
	return all
}

// killPasses is how often one killAll looks again. A process that forks and exits at once
// has a new id every 100 us; a pass takes less than that.
const killPasses = 100

// killAll kills everything below the supervisor that it finds.
func killAll(own namespaces, _ int) {
	if own.PID {
		syscall.Kill(-1, syscall.SIGKILL) // the kernel goes through the namespace in one step
		return
	}
	for range killPasses {
		all := descendants("self")
		if len(all) == 0 {
			return
		}
		for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} { // stopped, it cannot fork while the others are killed
			for _, pid := range all {
				if n, err := strconv.Atoi(pid); err == nil {
					syscall.Kill(n, signal)
				}
			}
		}
	}
}

// overLimit says what of its limits the whole server below a supervisor has passed.
func overLimit(supervisor int, own namespaces, most Limits) string {
	first := strconv.Itoa(supervisor)
	if guarded(own) {
		below, _ := children(first)
		if len(below) == 0 {
			return ""
		}
		first = below[0] // what is beside the supervisor has lost it, and is being killed
	}
	var memory int64
	var tasks int
	for _, pid := range descendants(first) {
		memory += held(pid)
		threads, _ := os.ReadDir("/proc/" + pid + "/task")
		tasks += len(threads)
	}
	switch {
	case tasks > most.Processes:
		return fmt.Sprintf("it has %d processes and threads; its limit is %d", tasks, most.Processes)
	case memory > most.Memory:
		return fmt.Sprintf("its processes hold %d MiB of memory; its limit is %d MiB", memory>>20, most.Memory>>20)
	}
	return ""
}

// held is the memory that a process shares with no file, in bytes.
func held(pid string) int64 {
	text, err := os.ReadFile("/proc/" + pid + "/statm")
	if err != nil {
		return 0
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil {
		return 0
	}
	return max(0, resident-shared) * int64(os.Getpagesize())
}
