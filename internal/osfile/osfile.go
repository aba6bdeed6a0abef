// Package osfile holds what package os lacks of files and differs between systems:
// locks between processes, flushing a folder, and how much room is left.
//
// A lock belongs to an open file: it is released by closing the file, so also by the
// kernel when the process ends. It is advisory on Unix; on Windows, where locks are
// mandatory, it covers one byte that no file reaches, so others can still read.
package osfile

import (
	"errors"
	"io/fs"
	"os"
)

// ErrLocked means that another open file holds the lock.
var ErrLocked = errors.New("locked by another process")

// Lock waits for the lock of f.
func Lock(f *os.File) error { return failed("lock", f, lock(f, true)) }

// TryLock takes the lock of f, or returns an error that wraps [ErrLocked].
func TryLock(f *os.File) error { return failed("lock", f, lock(f, false)) }

// Unlock releases the lock of f.
func Unlock(f *os.File) error { return failed("unlock", f, unlock(f)) }

// LockDir waits for the lock of a folder. On Windows, where a folder has none, it is that
// of a hidden file in it, which stays.
func LockDir(dir string) (unlock func(), err error) {
	f, err := openDirLock(dir)
	if err != nil {
		return nil, err
	}
	if err := Lock(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// Boot names the time since this machine was started: another text after each start, the
// same for all processes. It is empty where the system gives none.
func Boot() string { return boot() }

// OpenFile is os.OpenFile of a file that may be renamed while it is open, as a log is.
// Package os does not allow that on Windows.
func OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return openFile(name, flag, perm)
}

// Private refuses a file or folder that other users can access, and says how to change
// that. On Windows the access list decides, and not the mode; the system and its
// administrators may be on it.
func Private(name string, info fs.FileInfo) error { return private(name, info) }

// SyncDir flushes a folder, so that a file made or renamed in it survives a power cut.
// Windows has no such call for folders; NTFS journals their changes.
func SyncDir(dir string) error { return syncDir(dir) }

// Free returns how many bytes this user may still write on the file system of dir.
func Free(dir string) (int64, error) { return free(dir) }

func failed(op string, f *os.File, err error) error {
	if err == nil {
		return nil
	}
	return &os.PathError{Op: op, Path: f.Name(), Err: err}
}
