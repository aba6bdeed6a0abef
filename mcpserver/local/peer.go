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
	"strconv"
	"strings"
)

// peer is the process at the other end of a connection, as the kernel knows it.
type peer struct {
	uid int
	pid int // 0 when the system does not say
}

// process is what tells one process from all others, also from one that has its
// number later.
type process struct {
	parent  int
	started string // in units of the system
}

var errForeign = errors.New("the other end of the socket belongs to another user")

// admitted returns the process at the other end, unless it is another user's. A
// system that does not say who is there leaves it to the modes of the socket and
// its folder.
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

// principal names the client that a process relays for: the name of the program
// that started it, which is the client, for people; number, start and machine of
// the process, which tell it from all others, also of other machines that keep
// their approvals in the same cluster.
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
	if u, err := user.LookupId(id); err == nil {
		return "local:" + plain(u.Username)
	}
	return "local:uid-" + id
}

// Principal is who the client on this process's own standard streams is.
func Principal() string {
	return peer{uid: os.Getuid(), pid: os.Getpid()}.principal("stdio")
}

// machine names the boot of a system, and the container in it, for which numbers of
// processes are numbers of processes.
func machine() string {
	name, err := os.Hostname()
	if err != nil {
		name = "" // the rest tells enough
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

// plain leaves what cannot be mistaken for anything else in a name.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '_'
	}, name)
}
