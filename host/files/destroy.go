package files

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// Destroyer moves and deletes files in one workspace.
type Destroyer struct{ *Writer }

// Move renames a file or a directory and returns its new absolute path. A file
// that is already there is replaced.
func (d *Destroyer) Move(_ context.Context, _ *budget.Account, a FromToArgs) (string, error) {
	d.space.mu.Lock()
	defer d.space.mu.Unlock()
	from, p, err := d.lookup(a.From)
	if err != nil {
		return "", err
	}
	to, target, err := d.lookup(a.To)
	if err != nil {
		return "", err
	}
	if from.rel == "." || to.rel == "." {
		return "", refuse(hostcall.InvalidInput, "invalid-path", "the workspace itself stays Where it is")
	}
	if _, err := from.root.Lstat(from.rel); errors.Is(err, fs.ErrNotExist) {
		return "", refuse(hostcall.InvalidInput, "move-source-missing", "%q does not exist", p)
	}
	var replaced int64
	info, err := to.root.Lstat(to.rel)
	if err == nil && to != from {
		if info.IsDir() {
			return "", failed(target, fs.ErrExist)
		}
		replaced = info.Size()
	}
	dirs := to.missingDirs()
	if err := d.space.reserve(0, dirs); err != nil {
		return "", err
	}
	dir := filepath.Dir(to.rel)
	if err := to.root.MkdirAll(dir, 0o755); err != nil {
		d.space.release(0, dirs)
		return "", failed(target, err)
	}
	if err := from.root.Rename(from.rel, to.rel); err != nil {
		return "", failed(target, err)
	}
	if info != nil && to != from {
		d.space.release(replaced, 1)
	}
	if err := syncDir(to.root, dir); err != nil {
		return "", failed(target, err)
	}
	return filepath.ToSlash(to.absolute()), nil
}

// Remove deletes one file and reports whether there was one.
func (d *Destroyer) Remove(_ context.Context, _ *budget.Account, a PathArgs) (bool, error) {
	d.space.mu.Lock()
	defer d.space.mu.Unlock()
	at, p, err := d.lookup(a.Path)
	if err != nil {
		return false, err
	}
	info, err := at.root.Lstat(at.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, failed(p, err)
	case info.IsDir():
		return false, refuse(hostcall.InvalidInput, "delete-is-directory", "%q is a directory", p)
	}
	if err := at.root.Remove(at.rel); err != nil {
		return false, failed(p, err)
	}
	d.space.release(info.Size(), 1)
	return true, nil
}

// RemoveDir deletes a directory and everything below it and returns how many entries
// there were, itself included. One rename removes it; the rest is cleanup.
func (d *Destroyer) RemoveDir(_ context.Context, account *budget.Account, a PathArgs) (int64, error) {
	d.space.mu.Lock()
	defer d.space.mu.Unlock()
	at, p, err := d.lookup(a.Path)
	if err != nil {
		return 0, err
	}
	if at.rel == "." {
		return 0, refuse(hostcall.Security, "deletedir-workspace-root", "the workspace itself stays")
	}
	info, err := at.root.Lstat(at.rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case errors.Is(err, syscall.ENOTDIR), err == nil && !info.IsDir():
		return 0, refuse(hostcall.InvalidInput, "deletedir-not-a-directory", "%q is not a directory", p)
	case err != nil:
		return 0, failed(p, err)
	}
	temp := filepath.Join(filepath.Dir(at.rel), tempPrefix+rand.Text())
	if err := at.root.Rename(at.rel, temp); err != nil {
		return 0, failed(p, err)
	}
	var entries, bytes int64
	err = fs.WalkDir(at.root.FS(), filepath.ToSlash(temp), func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		entries++
		if err := account.Charge(2 * entryWork); err != nil {
			return err
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	err = errors.Join(err, at.root.RemoveAll(temp))
	d.space.release(bytes, entries)
	if err != nil {
		return 0, failed(p, err)
	}
	return entries, nil
}
