//go:build unix

package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

// noFollow refuses to open a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// socketMode is the mode of the socket, as Lstat reports it.
const socketMode = fs.ModeSocket | 0o600

// shortDir is a folder of this user whose path is short. TMPDIR may be long.
func shortDir() string { return filepath.Join("/tmp", "glovebox-"+strconv.Itoa(os.Getuid())) }

// onlyOurs refuses a folder that is not this user's, or that others can access.
func onlyOurs(dir string, info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%s belongs to another user: run this as that one, or set XDG_STATE_HOME to a folder of your own", dir)
	}
	return osfile.Private(dir, info)
}

// hungUp reports whether the other end closed its socket.
func hungUp(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// refused reports whether nobody listens on a socket.
func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
