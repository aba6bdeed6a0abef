package local

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"runtime"
	"strconv"
	"strings"
)

// peer is the process at the other end of a connection, as the kernel knows it.
type peer struct {
	uid int
	pid int // 0 if the system does not report it
}

// process identifies a process, even when another one later reuses its number.
type process struct {
	parent  int
	started string // in the system's units
}

var errForeign = errors.New("the other end of the socket belongs to another user")

// admitted returns the process at the other end, unless it belongs to another user.
// On a system that cannot identify it, the modes of the socket and its folder must
// suffice.
func admitted(conn *net.UnixConn, uid int) (peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var p peer
	var known error
	if err := raw.Control(func(fd uintptr) { p, known = credentials(int(fd)) }); err != nil {
		return peer{}, err
	}
	switch {
	case errors.Is(known, errors.ErrUnsupported):
		return peer{uid: uid}, nil
	case known != nil:
		return peer{}, known
	case p.uid != uid:
		return peer{}, fmt.Errorf("%w (%d)", errForeign, p.uid)
	}
	return p, nil
}

// principal names the client that a process relays for. People see the name of the
// program that started it, which is the client; the number, start time and machine
// of the process make the name unique, also among machines that keep their
// approvals in the same cluster.
func (p peer) principal(kind string) string {
	if p.pid != 0 {
		if it, err := processOf(p.pid); err == nil {
			return fmt.Sprintf("%s:%s/%d/%s/%s", kind, programName(it.parent), p.pid, it.started, machine())
		}
	}
	return kind + ":" + rand.Text()
}

// operator names the person who answers over the socket.
func (p peer) operator() string {
	id := strconv.Itoa(p.uid)
	u, err := user.LookupId(id)
	if runtime.GOOS == "windows" { // where users have no numbers; admitted lets only ours in
		u, err = user.Current()
	}
	if err == nil {
		return "local:" + plain(u.Username)
	}
	return "local:uid-" + id
}

// Operator names the person behind this process.
func Operator() string { return peer{uid: os.Getuid()}.operator() }

// Principal names the client on this process's own standard streams.
func Principal() string {
	return peer{uid: os.Getuid(), pid: os.Getpid()}.principal("stdio")
}

// machine names the boot of a system and the container in it: process numbers are
// unique within those.
func machine() string {
	name, err := os.Hostname()
	if err != nil {
		name = "" // the rest is enough
	}
	sum := sha256.Sum256([]byte(name + "\x00" + boot()))
	return hex.EncodeToString(sum[:4])
}

func programName(pid int) string {
	name := plain(commandOf(pid))
	if name == "" {
		return "unknown"
	}
	return name
}

// plain replaces the characters of a name that could be mistaken for something
// else.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
}
