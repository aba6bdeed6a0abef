//go:build unix

package plainhttp

import (
	"errors"
	"net"
	"syscall"
)

const canLook = true

// look reads what has come on a connection, without waiting for more. It reports whether
// the connection is open.
func look(c net.Conn, to []byte) (n int, open bool) {
	raw, ok := c.(syscall.Conn)
	if !ok {
		return 0, false
	}
	fd, err := raw.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = fd.Read(func(fd uintptr) bool {
		var failed error
		n, failed = syscall.Read(int(fd), to)
		open = n > 0 || errors.Is(failed, syscall.EAGAIN)
		return true
	})
	return max(n, 0), open && err == nil
}
