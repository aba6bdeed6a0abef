package library

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

// step names what replace is about to do. Tests stop the process at each.
type step string

const (
	stepCreate  step = "create"
	stepWrite   step = "write"
	stepSync    step = "sync"
	stepRename  step = "rename"
	stepSyncDir step = "sync-dir"
	stepDone    step = "done"
)

// replace replaces the file called path with data. A reader of path sees the old bytes
// or the new ones and never a mixture, even after a crash or a power cut at any step.
// before is called ahead of every step.
func replace(path string, data []byte, mode fs.FileMode, before func(step)) (err error) {
	before(stepCreate)
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreMissing(os.Remove(tmp.Name())))
		}
	}()
	before(stepWrite)
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(mode))
	before(stepSync)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	before(stepRename)
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	before(stepSyncDir)
	if err := osfile.SyncDir(filepath.Dir(path)); err != nil {
		return err
	}
	before(stepDone)
	return nil
}

// sweep removes the temporary files that a killed writer left beside path.
func sweep(path string) error {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".tmp-*"))
	for _, name := range left {
		err = errors.Join(err, ignoreMissing(os.Remove(name)))
	}
	return err
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// setAside renames an unusable file to the first free name, so that it is neither lost
// nor read again, and returns that name.
func setAside(path string) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.corrupt-%d", path, n)
		switch err := os.Link(path, name); {
		case errors.Is(err, os.ErrExist):
			continue
		case err != nil:
			return "", err
		}
		return name, os.Remove(path)
	}
}

// WriteFile replaces a spec file with data, whole or not at all, and keeps the file's
// mode.
func WriteFile(path string, data []byte) error {
	mode := fs.FileMode(0o644) // a spec holds no secret, so others may read it
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return replace(path, data, mode, func(step) {})
}

// lock keeps other processes from changing the file at path until unlock. The lock is
// on a file beside it, because the file itself is replaced.
func lock(path string) (unlock func(), err error) {
	beside, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := osfile.Lock(beside); err != nil {
		beside.Close()
		return nil, err
	}
	return func() { beside.Close() }, nil
}
