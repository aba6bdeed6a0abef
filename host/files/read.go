package files

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

const (
	// maxEntries is how many entries one call lists or visits, and maxResults how
	// many lines or paths it returns. Both keep a reply within the guest's memory.
	maxEntries = 100_000
	maxResults = 10_000
	// maxDepth is how deep a walk goes.
	maxDepth = 64
	// maxSearch is how much text one search reads, in bytes: about a second.
	maxSearch = 256 << 20
)

var errTooMany = errors.New("too many entries")

// Where tells a tool the paths of its directories. It cannot open them.
type Where struct {
	home  string
	roots []string
}

// Workspace returns the directory that relative paths start from.
func (w *Where) Workspace(context.Context, *budget.Account, struct{}) (string, error) {
	return w.home, nil
}

// ReadRoots returns the directories that may be read.
func (w *Where) ReadRoots(context.Context, *budget.Account, struct{}) ([]string, error) {
	return w.roots, nil
}

// Reader reads files. It has no method that changes one.
type Reader struct{ places }

// lookup checks a path and follows it to a spot.
func (r *Reader) lookup(path *string) (spot, string, error) {
	p, err := checkPath(path)
	if err != nil {
		return spot{}, "", err
	}
	at, err := r.places.lookup(p)
	if err != nil {
		return spot{}, p, failed(p, err)
	}
	return at, p, nil
}

// text reads the file at a path.
func (r *Reader) text(account *budget.Account, path *string) ([]byte, error) {
	p, err := checkPath(path)
	if err != nil {
		return nil, err
	}
	at, err := r.locate(p)
	if err != nil {
		return nil, failed(p, err)
	}
	// os.Root follows links that stay inside by itself; only when it cannot is the
	// path followed here, to reach links by absolute path or to name the escape.
	content, err := at.text(account)
	if err != nil {
		followed, ferr := r.follow(at, true)
		if ferr != nil {
			return nil, failed(p, ferr)
		}
		if followed != at {
			content, err = followed.text(account)
		}
	}
	if err != nil {
		return nil, failed(p, err)
	}
	return content, nil
}

// ReadText is a plain handler, since a file as JSON would cost a copy: the path
// comes as the text and the content goes as the text.
func (r *Reader) ReadText(_ context.Context, account *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	path := string(text)
	content, err := r.text(account, &path)
	return content, nil, err
}

// display is how a path is shown: relative inside home, else absolute, so that
// it can be passed back either way.
func (r *Reader) display(at spot) string {
	abs := at.absolute()
	if rel, err := filepath.Rel(r.home, abs); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(abs)
}

// PathArgs names one file or directory.
type PathArgs struct {
	Path *string `json:"path"`
}

// orHome gives a missing or blank path its default, the home directory.
func orHome(path *string) *string {
	if path == nil || strings.TrimSpace(*path) == "" {
		dot := "."
		return &dot
	}
	return path
}

// List returns one level of a directory; a missing one is empty.
func (r *Reader) List(_ context.Context, account *budget.Account, a PathArgs) ([]string, error) {
	at, p, err := r.lookup(orHome(a.Path))
	if err != nil {
		return nil, err
	}
	entries, err := at.entries(account, maxResults)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{}, nil
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, refuse(hostcall.InvalidInput, "not-a-directory", "%q is not a directory", p)
	}
	if err != nil {
		return nil, failed(p, err)
	}
	shown := make([]string, len(entries))
	for i, e := range entries {
		shown[i] = r.display(spot{at.tree, filepath.Join(at.rel, e.Name())})
	}
	return shown, nil
}

// Exists is false for anything not visible, including a path that escapes.
func (r *Reader) Exists(_ context.Context, account *budget.Account, a PathArgs) (bool, error) {
	at, _, err := r.lookup(a.Path)
	if err != nil {
		return false, nil
	}
	_, err = at.root.Stat(at.rel)
	return err == nil, nil
}

// Stat describes a file or a directory.
type Stat struct {
	Size      int64 `json:"size"`
	Mtime     int64 `json:"mtime"` // milliseconds since 1970
	Directory bool  `json:"directory"`
}

// Stat returns size, time of change and kind.
func (r *Reader) Stat(_ context.Context, account *budget.Account, a PathArgs) (Stat, error) {
	at, p, err := r.lookup(a.Path)
	if err != nil {
		return Stat{}, err
	}
	info, err := at.root.Stat(at.rel)
	if err != nil {
		return Stat{}, failed(p, err)
	}
	return Stat{Size: info.Size(), Mtime: info.ModTime().UnixMilli(), Directory: info.IsDir()}, nil
}

// walk visits everything below a directory, a directory before its entries,
// siblings in the order of names. Symbolic links are visited and not followed.
func walk(ctx context.Context, account *budget.Account, dir spot, depth int, visit func(spot, fs.DirEntry) error) error {
	left := maxEntries
	var down func(dir spot, level int) error
	down = func(dir spot, level int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := dir.entries(account, left)
		if err != nil {
			return err
		}
		left -= len(entries)
		for _, e := range entries {
			if err := account.Charge(entryWork); err != nil {
				return err
			}
			at := spot{dir.tree, filepath.Join(dir.rel, e.Name())}
			if err := visit(at, e); err != nil {
				return err
			}
			if !e.IsDir() || level >= depth {
				continue
			}
			if level >= maxDepth {
				return errTooMany
			}
			// A directory that went away or cannot be read is not the caller's fault.
			if err := down(at, level+1); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.ENOTDIR) {
				return err
			}
		}
		return nil
	}
	return down(dir, 1)
}
