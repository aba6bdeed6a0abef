package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

// noFollow is not needed: only this user and the administrators write in the folder.
const noFollow = 0

// socketMode is the mode of the socket, as Lstat reports it. It does not say who may
// connect: the folder's access list does.
const socketMode = fs.ModeSocket | 0o666

// shortDir is a folder of this user: the folder for temporary files is in the profile.
func shortDir() string { return filepath.Join(os.TempDir(), "glovebox") }

// onlyOurs refuses a folder that others can access.
func onlyOurs(dir string, info fs.FileInfo) error { return osfile.Private(dir, info) }

// hungUp reports whether the other end closed its socket.
func hungUp(err error) bool {
	return errors.Is(err, windows.WSAECONNRESET) || errors.Is(err, windows.WSAECONNABORTED)
}

// refused reports whether nobody listens on a socket.
func refused(err error) bool {
	return errors.Is(err, windows.WSAECONNREFUSED) || errors.Is(err, windows.ERROR_FILE_NOT_FOUND)
}
