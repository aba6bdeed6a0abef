package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// self is the gateway's program. The kernel keeps it even if the file has been
// replaced by a newer version since.
func self() (string, error) { return "/proc/self/exe", nil }

// wanted are the sets of namespaces to try for a sandbox, best first, none last.
//
// Without a sandbox a server gets a PID namespace only where no user namespace is needed for
// it: in one of those the files of others seem to belong to nobody, and ssh refuses
// its own configuration.
func wanted(sandbox Sandbox) []namespaces {
	if sandbox == None {
		return []namespaces{{PID: true, Mount: true}, {}}
	}
	net := sandbox == FilesAndNetwork
	return []namespaces{{PID: true, Mount: true, Net: net}, {User: true, PID: true, Mount: true, Net: net}, {}}
}

func (n namespaces) apply(attr *syscall.SysProcAttr) {
	if n.PID {
		attr.Cloneflags |= unix.CLONE_NEWPID
	}
	if n.Mount {
		attr.Cloneflags |= unix.CLONE_NEWNS | unix.CLONE_NEWIPC
	}
	if n.Net {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	if n.User {
		attr.Cloneflags |= unix.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
		// For the supervisor, over its exec; the server gets none of them.
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	}
}

// dieWithParent kills the server when its supervisor is killed.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// outlive keeps a supervisor from ending with its guard: it has a server to end by then.
func outlive() { unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) }

// closeInherited keeps descriptors that the gateway itself was started with from a server.
func closeInherited(first int) { unix.CloseRange(uint(first), ^uint(0), unix.CLOSE_RANGE_CLOEXEC) }

// adopt makes orphans of the server children of the supervisor.
func adopt(own namespaces) []Measure {
	if own.PID {
		return []Measure{{Name: Ending, How: "PID namespace"}}
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return []Measure{{Name: Ending, Missing: "no child subreaper: " + err.Error()}}
	}
	if _, err := children("self"); err != nil {
		return []Measure{{Name: Ending, Missing: "the kernel does not list the children of a process: " + err.Error()}}
	}
	return []Measure{{Name: Ending, How: "child subreaper"}}
}

// isolate makes what the server sees of files and network its own.
func isolate(o *start) []Measure {
	if o.Own.Mount {
		if err := o.mount(); err != nil {
			o.Own.Refused = "the kernel gives no mounts: " + err.Error()
		} else {
			o.View = o.Sandbox != None
		}
	}
	if o.Own.Net {
		return []Measure{{Name: Network, How: "network namespace" + loopback()}}
	}
	return nil
}

func (o *start) mount() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return err
	}
	if o.Sandbox == None {
		// The processes in /proc must be those of the PID namespace: programs look for
		// themselves in it.
		return mountProc("/proc")
	}
	return view(o)
}

// loopback switches the one interface of a network namespace on, for servers whose parts
// talk to each other over it.
func loopback() string {
	err := func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		r, err := unix.NewIfreq("lo")
		if err != nil {
			return err
		}
		r.SetUint16(unix.IFF_UP)
		return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
	}()
	if err != nil {
		return ", without loopback: " + err.Error()
	}
	return ""
}
