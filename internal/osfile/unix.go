//go:build unix

package osfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

func lock(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		}
		return err
	}
}

func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

func openDirLock(dir string) (*os.File, error) { return os.Open(dir) }

func openFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

func private(name string, info fs.FileInfo) error {
	perm := info.Mode().Perm()
	switch {
	case perm&0o077 == 0:
		return nil
	case info.IsDir():
		return fmt.Errorf("%s has mode %04o, so others may reach what is in it; run chmod 700 on it", name, perm)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		groups, _ := os.Getgroups() // without them the own one is left
		if lent(perm, stat.Uid, stat.Gid, os.Geteuid(), append(groups, os.Getegid())) {
			return nil
		}
	}
	return fmt.Errorf("%s has mode %04o, so others may read it; run chmod 600 on it", name, perm)
}

// lent reports whether root gives a file to a group of ours to read and to nobody else. That
// is how Kubernetes mounts a secret for a process that is not root: it can give it a group
// (fsGroup), and no owner.
func lent(perm fs.FileMode, owner, group uint32, user int, groups []int) bool {
	return perm&^0o640 == 0 && owner == 0 && user != 0 && slices.Contains(groups, int(group))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func free(dir string) (int64, error) {
	var of syscall.Statfs_t
	if err := syscall.Statfs(dir, &of); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(of.Bavail) * int64(of.Bsize), nil
}
