package process

import (
	"fmt"
	"os"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Versions of Landlock's interface, by what they began to restrict.
const (
	landlockTruncate = 3 // with it, every way to change a file. Linux 6.2
	landlockScopes   = 6 // signals and abstract sockets. Linux 6.12
	landlockSockets  = 9 // sockets that have a path
)

// confine takes from the process that becomes the server what it shall not have.
func confine(o start) ([]Measure, error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("no_new_privs: %w", err)
	}
	if o.Sandbox == None {
		return []Measure{{Name: Privileges, How: "no_new_privs"}}, nil
	}
	// The keys of the gateway's session are none of its business.
	if _, err := unix.KeyctlInt(unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0); err != nil && err != unix.ENOSYS && err != unix.EPERM {
		return nil, fmt.Errorf("session keyring: %w", err)
	}
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		abi = 0 // not in this kernel, or switched off
	}
	if abi > 0 {
		if err := restrict(o, abi); err != nil {
			return nil, fmt.Errorf("no domain of Landlock: %w", err)
		}
	}
	if err := dropCapabilities(); err != nil {
		return nil, fmt.Errorf("capabilities: %w", err)
	}
	return append(o.kept(abi), Measure{Name: Privileges, How: "no_new_privs, no capabilities"}), nil
}

// kept says which promises of the sandbox are kept by what.
func (o start) kept(abi int) []Measure {
	var how []string
	if abi > 0 {
		how = append(how, fmt.Sprintf("Landlock %d", abi))
	}
	if o.View {
		how = append(how, "mount namespace")
	}
	by := func(name string, kept bool, how, why string) Measure {
		if kept {
			return Measure{Name: name, How: how}
		}
		if o.Own.Refused != "" {
			why += "; " + o.Own.Refused
		}
		return Measure{Name: name, Missing: why}
	}
	all := []Measure{
		by(FileAccess, abi >= landlockTruncate || o.View, strings.Join(how, ", "), "Landlock of Linux 6.2 is needed"),
		by(Sockets, abi >= landlockSockets || o.View && (o.Own.Net || abi >= landlockScopes), strings.Join(how, ", "), "sockets of other programs, such as a container engine's, can be reached"),
		by(Neighbours, abi >= landlockScopes || o.Own.PID, strings.Join(how, ", "), "processes of the same user can be signalled"),
	}
	if o.Sandbox == FilesAndNetwork && !o.Own.Net {
		all = append(all, by(Network, false, "", "without a network namespace only TCP is refused"))
	}
	return all
}

// restrict puts this thread, and what it executes, into a Landlock domain that it cannot
// leave. What this kernel does not know of it is left out; kept says so. The library's own
// way also restricts the other threads, which end at the exec; in a program with C it
// needs a /proc that fits the PID namespace for that.
func restrict(o start, abi int) error {
	config := landlockVersions[min(abi, len(landlockVersions)-1)]
	if o.Sandbox == Files || o.Own.Net {
		config.HandledAccessNet = 0 // the network is not restricted, or its own
	}
	rules, err := ll.LandlockCreateRuleset(&ll.RulesetAttr{
		HandledAccessFS: uint64(config.HandledAccessFS), HandledAccessNet: uint64(config.HandledAccessNet), Scoped: uint64(config.Scoped),
	}, 0)
	if err != nil {
		return err
	}
	defer unix.Close(rules)
	allow := func(path string, access uint64) error {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil // not there, or not in the view
		}
		defer unix.Close(fd)
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil {
			return err
		}
		if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
			access &= fileRights
		}
		return ll.LandlockAddPathBeneathRule(rules, &ll.PathBeneathAttr{ParentFd: fd, AllowedAccess: access & uint64(config.HandledAccessFS)}, 0)
	}
	for _, g := range append(o.grants(), o.own()...) {
		access := uint64(readRights)
		if g.write {
			access = readRights | writeRights
		}
		if err := allow(g.path, access); err != nil {
			return fmt.Errorf("%s: %w", g.path, err)
		}
	}
	if o.View { // the root holds nothing that it may not see
		if err := allow("/", ll.AccessFSReadDir); err != nil {
			return err
		}
	}
	return ll.LandlockRestrictSelf(rules, 0)
}

// Rights of Landlock. Ioctls on devices and sockets of others are in no set.
const (
	readRights  = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSReadDir
	writeRights = ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir |
		ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSRefer // npm moves files between folders
	fileRights = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate
)

// landlockVersions is what each version of the interface can restrict.
var landlockVersions = []landlock.Config{
	{}, landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6, landlock.V7, landlock.V8, landlock.V9, landlock.V10, landlock.V11,
}

// own is what is the server's without being granted. Without the view /tmp and /proc would
// be everybody's.
func (o start) own() []grant {
	var all []grant
	for _, d := range devices {
		all = append(all, grant{path: d, write: true})
	}
	if o.View {
		return append(all, grant{path: "/tmp", write: true}, grant{path: "/dev/shm", write: true}, grant{path: "/proc"})
	}
	return append(all, grant{path: "/proc/cpuinfo"}, grant{path: "/proc/meminfo"}, grant{path: "/proc/stat"})
}

// dropCapabilities leaves none, and none that an exec could bring back. A supervisor that is
// root has all, one in a user namespace has those of that.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	for c := uintptr(0); ; c++ {
		has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0)
		if err != nil {
			break // beyond the last that this kernel knows
		}
		if has == 0 {
			continue
		}
		// Without the right to do this there is no root to protect from: no_new_privs
		// keeps any exec from gaining what the process does not have.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && (err != unix.EPERM || os.Geteuid() == 0) {
			return err
		}
	}
	none := [2]unix.CapUserData{}
	return unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0])
}
