//go:build windows

package osfile

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// lockedByte is the offset of the byte that is locked: the last that a file could have.
func lockedByte() *windows.Overlapped {
	return &windows.Overlapped{Offset: ^uint32(0) - 1, OffsetHigh: 1<<31 - 1}
}

func lock(f *os.File, wait bool) error {
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, lockedByte())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

func unlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockedByte())
}

func openDirLock(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, ".glovebox-lock"), os.O_RDWR|os.O_CREATE, 0o600)
}

// openFile goes through os.Root, which opens files with FILE_SHARE_DELETE.
func openFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	dir, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.OpenFile(filepath.Base(name), flag, perm)
}

func syncDir(dir string) error {
	_, err := os.Stat(dir)
	return err
}

func free(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, &os.PathError{Op: "free", Path: dir, Err: err}
	}
	var ours uint64
	if err := windows.GetDiskFreeSpaceEx(name, &ours, nil, nil); err != nil {
		return 0, &os.PathError{Op: "free", Path: dir, Err: err}
	}
	return int64(ours), nil
}
