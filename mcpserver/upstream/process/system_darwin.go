package process

import (
	"errors"
	"os"
	"syscall"
)

// There is only the process group, and the pipe to the gateway.
const onlyLinux = "this system has no means for it that we use; Linux has"

func self() (string, error) { return os.Executable() }

func wanted(Sandbox) []namespaces { return []namespaces{{}} }

func (namespaces) apply(*syscall.SysProcAttr) {}

func dieWithParent(*syscall.SysProcAttr) {}

// closeInherited marks every descriptor that is open.
func closeInherited(first int) {
	const most = 1 << 10 // launchd starts a program with three
	for fd := first; fd < most; fd++ {
		syscall.CloseOnExec(fd)
	}
}

func adopt(namespaces) []Measure {
	return []Measure{{Name: Ending, Missing: "a child that leaves the process group is not found here"}}
}

func isolate(*start) []Measure { return nil }

func confine(o start) ([]Measure, error) {
	if o.Sandbox == None {
		return nil, nil
	}
	all := []Measure{{Name: FileAccess, Missing: onlyLinux}, {Name: Sockets, Missing: onlyLinux}, {Name: Neighbours, Missing: onlyLinux}}
	if o.Sandbox == FilesAndNetwork {
		all = append(all, Measure{Name: Network, Missing: onlyLinux})
	}
	return all, nil
}

func memoryMeasure() Measure { return Measure{Name: Memory, Missing: onlyLinux} }

func treeMeasure(name string) Measure { return Measure{Name: name, Missing: onlyLinux} }

func overLimit(int, namespaces, Limits) string { return "" }

func killAll(_ namespaces, group int) {
	if group > 0 {
		syscall.Kill(-group, syscall.SIGKILL)
	}
}

func leave(start) {}

func idle(int, start, folder) error {
	return errors.New("a program can be executed from memory on Linux only")
}

// woken is for supervisors that were idle.
func woken([]string, *os.File, *os.File) int { return 1 }

func guarded(namespaces) bool { return false }

// guard is for supervisors that can adopt orphans.
func guard(string) int { return 1 }

func outlive() {}
