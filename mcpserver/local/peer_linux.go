package local

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func credentials(fd int) (peer, error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	return peer{uid: int(c.Uid), pid: int(c.Pid)}, nil
}

func processOf(pid int) (process, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, err
	}
	// The second field, the name in parentheses, may hold any text. The state and
	// the parent follow it; field 22 of the line is the start in ticks since boot.
	_, rest, ok := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 {
		return process{}, errors.New("a line of /proc that is not as it should be")
	}
	parent, err := strconv.Atoi(fields[1])
	return process{parent: parent, started: fields[19]}, err
}

func commandOf(pid int) string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}

// boot names this boot of the kernel and the process number namespace.
func boot() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // either is empty if it cannot be read
	space, _ := os.Readlink("/proc/self/ns/pid")
	return string(id) + space
}
