package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// Quota bounds a workspace. A zero field means its default.
type Quota struct {
	Bytes   int64 // default 256 MiB
	Entries int64 // files and directories; default 10,000
}

func (q Quota) withDefaults() Quota {
	if q.Bytes <= 0 {
		q.Bytes = 256 << 20
	}
	if q.Entries <= 0 {
		q.Entries = 10_000
	}
	return q
}

// Workspace is one directory that tools may write to. It is kept across calls
// and safe for concurrent use.
type Workspace struct {
	tree  *tree
	quota Quota

	// mu makes a change one step for every other change: an edit reads and writes.
	mu   sync.Mutex
	used Quota // as of the last measuring, with what was written since
}

// OpenWorkspace opens a directory, creating it if needed, and removes leftovers of a
// killed write.
func OpenWorkspace(dir string, quota Quota) (*Workspace, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	t, err := openTree(dir)
	if err != nil {
		return nil, err
	}
	w := &Workspace{tree: t, quota: quota.withDefaults()}
	if err := w.measure(true); err != nil {
		t.root.Close()
		return nil, err
	}
	return w, nil
}

// Path returns the directory's canonical path.
func (w *Workspace) Path() string { return w.tree.path }

// Close closes the directory; its files stay.
func (w *Workspace) Close() error { return w.tree.root.Close() }

// abandoned is the age at which an unfinished write has no Writer any more,
// another process's included.
const abandoned = 10 * time.Minute

// measure counts what is there. It stops at the limits, so that a directory of
// any size is opened in bounded time.
func (w *Workspace) measure(clean bool) error {
	w.used = Quota{}
	return fs.WalkDir(w.tree.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == "." {
				return err
			}
			return nil // it went away, or is not ours to see
		}
		if name == "." {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if clean && strings.HasPrefix(d.Name(), tempPrefix) && time.Since(info.ModTime()) > abandoned {
			w.tree.root.RemoveAll(filepath.FromSlash(name)) // what stays is counted by the next measuring
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		w.used.Entries++
		if info.Mode().IsRegular() {
			w.used.Bytes += info.Size()
		}
		if w.used.Entries > w.quota.Entries {
			return fs.SkipAll
		}
		return nil
	})
}

// reserve takes what a change will add off the quota, under the lock. When it
// does not fit, the directory is measured anew, since an operator may have
// removed files.
func (w *Workspace) reserve(bytes, entries int64) error {
	fits := func() bool {
		return (bytes <= 0 || w.used.Bytes+bytes <= w.quota.Bytes) && (entries <= 0 || w.used.Entries+entries <= w.quota.Entries)
	}
	if !fits() {
		if err := w.measure(false); err != nil {
			return err
		}
		if !fits() {
			return refuse(hostcall.Runtime, "quota-exceeded", "the workspace holds at most %d bytes in %d files and directories", w.quota.Bytes, w.quota.Entries)
		}
	}
	w.used.Bytes += bytes
	w.used.Entries += entries
	return nil
}

// release gives back what a change did not use or has freed.
func (w *Workspace) release(bytes, entries int64) {
	w.used.Bytes = max(0, w.used.Bytes-bytes)
	w.used.Entries = max(0, w.used.Entries-entries)
}

// ReadRoot is a directory that an operator lends for reading.
type ReadRoot struct{ tree *tree }

// OpenReadRoot opens a directory for reading.
func OpenReadRoot(dir string) (*ReadRoot, error) {
	t, err := openTree(dir)
	if err != nil {
		return nil, err
	}
	return &ReadRoot{tree: t}, nil
}

// Path returns the directory's canonical path.
func (r *ReadRoot) Path() string { return r.tree.path }

// Close closes the directory.
func (r *ReadRoot) Close() error { return r.tree.root.Close() }

// Workspaces gives every principal a workspace of its own below one directory
// and keeps it across calls. It is safe for concurrent use.
type Workspaces struct {
	dir   string
	quota Quota
	mu    sync.Mutex
	open  map[string]*lent
}

// lent is a workspace that is open.
type lent struct {
	name  string
	once  sync.Once // opens it
	w     *Workspace
	err   error
	users int
	last  time.Time // when a user has left
}

// maxIdle bounds the workspaces that are open without a user: each holds a file
// handle, and principals come and go.
const maxIdle = 64

// NewWorkspaces returns the workspaces below dir, each with the same quota.
func NewWorkspaces(dir string, quota Quota) *Workspaces {
	return &Workspaces{dir: dir, quota: quota, open: map[string]*lent{}}
}

// plainPrincipal are the names that can serve as a directory on every system:
// lower case, because some systems take two cases for one name.
var plainPrincipal = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// For opens a principal's workspace, always the same one, until done is called.
func (s *Workspaces) For(principal string) (w *Workspace, done func(), err error) {
	if principal == "" {
		return nil, nil, errors.New("a workspace needs a principal")
	}
	name := principal
	if !plainPrincipal.MatchString(name) || strings.HasPrefix(name, "p-") {
		sum := sha256.Sum256([]byte(principal))
		name = "p-" + hex.EncodeToString(sum[:16])
	}
	s.mu.Lock()
	l := s.open[name]
	if l == nil {
		l = &lent{name: name}
		s.open[name] = l
	}
	l.users++
	s.mu.Unlock()
	// Others do not wait while a large one is measured.
	l.once.Do(func() { l.w, l.err = OpenWorkspace(filepath.Join(s.dir, name), s.quota) })
	if l.err != nil {
		s.leave(l)
		return nil, nil, l.err
	}
	return l.w, sync.OnceFunc(func() { s.leave(l) }), nil
}

// leave notes that a user has left, and closes what has been idle for the longest
// time if too much is open. What could not be opened is tried again next time.
func (s *Workspaces) leave(l *lent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.users--
	l.last = time.Now()
	if l.err != nil && s.open[l.name] == l {
		delete(s.open, l.name)
	}
	if len(s.open) <= maxIdle {
		return
	}
	var oldest *lent
	for _, o := range s.open {
		if o.users == 0 && (oldest == nil || o.last.Before(oldest.last)) {
			oldest = o
		}
	}
	if oldest != nil {
		delete(s.open, oldest.name)
		oldest.w.Close()
	}
}

// Close closes all workspaces, which must no longer be in use; their files stay.
func (s *Workspaces) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for name, l := range s.open {
		if l.w != nil {
			errs = append(errs, l.w.Close())
		}
		delete(s.open, name)
	}
	return errors.Join(errs...)
}
