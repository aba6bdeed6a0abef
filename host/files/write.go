package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// Writer changes files in one workspace. It reads what it edits or copies and
// has no method that returns what it read.
type Writer struct {
	places             // the writable tree alone
	space   *Workspace // whose lock and quota every change goes through
	sources places     // what may be copied from
}

// lookup checks a path that will be written. The last element must not be a
// symbolic link, dangling or not; a link on the way must stay in the tree.
func (w *Writer) lookup(path *string) (spot, string, error) {
	p, err := checkPath(path)
	if err != nil {
		return spot{}, "", err
	}
	at, err := w.locate(p)
	if err == nil {
		at, err = w.follow(at, false)
	}
	if errors.Is(err, errOutside) {
		return spot{}, p, refuse(hostcall.Security, "write-outside-workspace", "%q lies outside of the workspace", p)
	}
	if err != nil {
		return spot{}, p, failed(p, err)
	}
	if info, err := at.root.Lstat(at.rel); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return spot{}, p, refuse(hostcall.Security, "write-through-symlink", "%q is a symbolic link", p)
	}
	return at, p, nil
}

// missingDirs counts the directories that a file at this spot still needs.
func (s spot) missingDirs() int64 {
	var n int64
	for dir := filepath.Dir(s.rel); dir != "."; dir = filepath.Dir(dir) {
		if _, err := s.root.Lstat(dir); err == nil {
			break
		}
		n++
	}
	return n
}

// replace writes a file in one step: a temporary file beside it is filled,
// flushed to disk and renamed over it. A Reader sees the old content or the new
// and a crash leaves one of them. The caller holds the workspace's lock.
func (w *Writer) replace(at spot, size int64, fill func(io.Writer) error) (err error) {
	var oldSize int64
	entries := at.missingDirs() + 1
	mode := fs.FileMode(0o644)
	if info, err := at.root.Lstat(at.rel); err == nil {
		if !info.Mode().IsRegular() {
			return errNotRegular
		}
		oldSize, mode = info.Size(), info.Mode().Perm()
		entries--
	}
	if err := w.space.reserve(size-oldSize, entries); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			w.space.release(size-oldSize, entries)
		}
	}()
	dir := filepath.Dir(at.rel)
	if err := at.root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp := filepath.Join(dir, tempPrefix+rand.Text())
	f, err := at.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = errors.Join(fill(&limitedWriter{f, size}), f.Sync(), f.Close())
	if err == nil {
		err = at.root.Rename(temp, at.rel)
	}
	if err != nil {
		at.root.Remove(temp)
		return err
	}
	return syncDir(at.root, dir)
}

// limitedWriter refuses more bytes than were taken off the quota, should a file
// grow while it is copied.
type limitedWriter struct {
	io.Writer
	left int64
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.left -= int64(len(p)); w.left < 0 {
		return 0, errTooLarge
	}
	return w.Writer.Write(p)
}

// syncDir flushes a directory, so that a rename in it survives a power cut.
func syncDir(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	d.Sync() // some file systems have no such thing for directories
	return nil
}

// WriteArgs is a file and a text.
type WriteArgs struct {
	Path *string `json:"path"`
	Text string  `json:"text"`
}

// WriteText makes or overwrites a file and returns its absolute path.
func (w *Writer) WriteText(_ context.Context, account *budget.Account, a WriteArgs) (string, error) {
	return w.change(a.Path, func(spot) (string, error) { return a.Text, nil })
}

// AppendText adds to a file, which it makes if need be, and returns its absolute
// path.
func (w *Writer) AppendText(_ context.Context, account *budget.Account, a WriteArgs) (string, error) {
	return w.change(a.Path, func(at spot) (string, error) {
		old, err := at.text(account)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err == nil {
			err = account.Hold(2*len(old) + len(a.Text))
		}
		if err != nil {
			return "", err
		}
		return stringOf(old) + a.Text, nil
	})
}

// change replaces the text at a path by what next makes of the file there.
func (w *Writer) change(path *string, next func(at spot) (string, error)) (string, error) {
	w.space.mu.Lock()
	defer w.space.mu.Unlock()
	at, p, err := w.lookup(path)
	if err != nil {
		return "", err
	}
	text, err := next(at)
	if err == nil && len(text) > maxFile {
		err = errTooLarge
	}
	if err == nil {
		err = w.replace(at, int64(len(text)), func(f io.Writer) error {
			_, err := io.WriteString(f, text)
			return err
		})
	}
	if err != nil {
		return "", failed(p, err)
	}
	return filepath.ToSlash(at.absolute()), nil
}

// EditArgs is a replacement in one file.
type EditArgs struct {
	Path       *string `json:"path"`
	Old        *string `json:"old"`
	New        string  `json:"new"`
	ReplaceAll bool    `json:"replaceAll"`
}

// Edited says what an edit did.
type Edited struct {
	Path         string `json:"path"`
	Replacements int    `json:"replacements"`
}

// EditText replaces a piece of text, which must be there once unless all of its
// places are meant.
func (w *Writer) EditText(_ context.Context, account *budget.Account, a EditArgs) (Edited, error) {
	if a.Old == nil || *a.Old == "" {
		return Edited{}, refuse(hostcall.InvalidInput, "edit-old-required", "the text to replace is needed")
	}
	n := 0
	path, err := w.change(a.Path, func(at spot) (string, error) {
		content, err := at.text(account)
		if errors.Is(err, fs.ErrNotExist) {
			return "", refuse(hostcall.InvalidInput, "edit-file-missing", "there is no file to edit")
		}
		if err != nil {
			return "", err
		}
		text := stringOf(content)
		if err := account.ChargeEach(len(text), 2*budget.Byte); err != nil {
			return "", err
		}
		switch n = strings.Count(text, *a.Old); {
		case n == 0:
			return "", refuse(hostcall.InvalidInput, "edit-no-match", "the text to replace is not in the file")
		case n > 1 && !a.ReplaceAll:
			return "", refuse(hostcall.InvalidInput, "edit-ambiguous", "the text to replace is in the file %d times", n)
		}
		if size := len(text) + n*(len(a.New)-len(*a.Old)); size > maxFile { // before the memory is spent
			return "", errTooLarge
		} else if err := account.Hold(size); err != nil {
			return "", err
		}
		if err := account.ChargeEach(n, lineWork); err != nil {
			return "", err
		}
		return strings.ReplaceAll(text, *a.Old, a.New), nil
	})
	return Edited{path, n}, err
}

// FromToArgs is two paths.
type FromToArgs struct {
	From *string `json:"from"`
	To   *string `json:"to"`
}

// Copy copies a file and returns the new one's absolute path.
func (w *Writer) Copy(ctx context.Context, account *budget.Account, a FromToArgs) (string, error) {
	p, err := checkPath(a.From)
	if err != nil {
		return "", err
	}
	from, err := w.sources.lookup(p)
	if err != nil {
		return "", failed(p, err)
	}
	f, info, err := from.open()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotRegular) {
		return "", refuse(hostcall.InvalidInput, "copy-source-not-file", "%q is not a file", p)
	}
	if err != nil {
		return "", failed(p, err)
	}
	defer f.Close()
	w.space.mu.Lock()
	defer w.space.mu.Unlock()
	to, target, err := w.lookup(a.To)
	if err != nil {
		return "", err
	}
	err = w.replace(to, info.Size(), func(out io.Writer) error {
		_, err := io.Copy(out, cancellable{ctx, budget.NewReader(account, f, readWork)})
		return err
	})
	if err != nil {
		return "", failed(target, err)
	}
	return filepath.ToSlash(to.absolute()), nil
}

// cancellable is a Reader that ends with its context.
type cancellable struct {
	ctx context.Context
	io.Reader
}

func (c cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, fmt.Errorf("copying: %w", err)
	}
	return c.Reader.Read(p)
}
