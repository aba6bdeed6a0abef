package library

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

// Origin says where a spec was found.
type Origin string

const (
	Builtin Origin = "builtin" // ships with the program
	Saved   Origin = "bundle"  // in the operator's bundle file
	Folder  Origin = "folder"  // a file of its own
)

// Config lists the places of specs. The zero value finds none.
type Config struct {
	// Builtin are the specs that ship with the program. An operator's spec with the
	// same toolId replaces one.
	Builtin []*catalog.Spec
	// Bundle is the path of the operator's bundle; it need not exist.
	Bundle string
	// Folders hold one .json file for each spec.
	Folders []string
	// Shared is the one of Folders that holds what a cluster shares; empty without one.
	Shared string
	// Passes is the path of the pass records that the operator's specs need; it need
	// not exist.
	Passes string
	// PassKeys are the keys whose signature counts on passes that come with specs, in a
	// file beside them. The zero value accepts none.
	PassKeys passnote.Keys
	// PassKey is the path of the operator's own key for signing passes; it need not
	// exist. Its signature counts too.
	PassKey string
}

// Entry is a spec and where it came from.
type Entry struct {
	Spec   *catalog.Spec
	Origin Origin
	File   string // empty for Builtin
	// Hidden says that the bundle's server settings do not offer the tool.
	Hidden bool
}

// Trouble is a file, or one spec in it, that could not be used. The others can.
type Trouble struct {
	File     string
	Problems catalog.Problems
	Err      error // the file could not be read at all
	// Kept says that the previous content is still in the library.
	Kept bool
}

func (t Trouble) Error() string {
	err := t.Err
	if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == t.File {
		err = path.Err // the file is already named
	}
	text := fmt.Sprintf("%s: %v", t.File, errors.Join(err, t.Problems.Err()))
	if t.Kept {
		text += "; what it held before stays"
	}
	return text
}

// Library holds the specs as they were at the last Reload. It is safe for
// concurrent use.
type Library struct {
	config Config
	before func(step) // see replace

	reading sync.Mutex // held for one Reload
	kept    *kept
	seen    view    // before the last Reload
	passes  *Passes // nil until they are opened

	mu      sync.Mutex
	entries []Entry
	trouble []Trouble
	came    travelling
}

// Open reads all places. Problems with single files are in Trouble; the error says
// that a place itself could not be read.
func Open(config Config) (*Library, error) {
	l := &Library{config: config, before: func(step) {}, kept: newKept(time.Now)}
	for _, dir := range config.Folders {
		// Later a folder may be missing for a while; a misspelt name never appears.
		if _, err := os.ReadDir(dir); err != nil {
			return l, fmt.Errorf("library: %w", err)
		}
	}
	return l, l.Reload()
}

// Reload reads all places again. An unreadable place is reported as Trouble, does not
// affect the others, and keeps its previous content unless it does not exist. If Reload
// fails, the library stays as it was.
func (l *Library) Reload() error {
	l.reading.Lock()
	defer l.reading.Unlock()
	l.kept.waits = false
	l.seen = l.config.look() // first, so that a change while it reads is seen afterwards
	var found []Entry
	var trouble []Trouble
	add := func(e []Entry, t []Trouble) { found, trouble = append(found, e...), append(trouble, t...) }
	for _, spec := range l.config.Builtin {
		found = append(found, Entry{Spec: spec, Origin: Builtin})
	}
	if l.config.Bundle != "" {
		e, t, err := l.kept.bundle(l.config.Bundle)
		if err != nil {
			return fmt.Errorf("library: %w", err)
		}
		add(e, t)
	}
	for _, dir := range l.config.Folders {
		add(l.kept.folder(dir))
	}
	keys, t := l.kept.keys(l.config.PassKeys, l.config.PassKey)
	add(nil, t)
	var came travelling
	for _, dir := range l.config.dirs() {
		n, t := l.kept.note(dir, keys)
		came.add(filepath.Join(dir, passnote.Name), n)
		add(nil, t)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries, l.trouble, l.came = overridden(once(found)), trouble, came
	return nil
}

// dirs returns the folders that specs are in, each once.
func (c Config) dirs() []string {
	dirs := slices.Clone(c.Folders)
	if c.Bundle != "" && !slices.Contains(dirs, filepath.Dir(c.Bundle)) {
		dirs = append(dirs, filepath.Dir(c.Bundle))
	}
	return dirs
}

// waits reports whether the library keeps something that the last Reload did not find,
// or that counts no longer, so that reading again is worthwhile even if nothing changed.
func (l *Library) waits() bool {
	l.reading.Lock()
	defer l.reading.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept.waits || !l.came.next.IsZero() && !l.kept.now().Before(l.came.next)
}

// Passes returns the current pass records from [Config.Passes]. An error keeps those
// read before, and is returned as long as it lasts.
func (l *Library) Passes() (*Passes, error) {
	l.reading.Lock()
	defer l.reading.Unlock()
	if l.config.Passes == "" {
		return nil, nil
	}
	if l.passes == nil {
		var err error
		l.passes, err = OpenPasses(l.config.Passes)
		return l.passes, err
	}
	return l.passes, l.passes.Reload()
}

// once leaves out what another folder before has with the same content: a folder that a
// server publishes to its cluster comes back to it as a copy, which is no second tool.
func once(found []Entry) []Entry {
	in := map[catalog.ContentHash]string{} // the first folder
	return slices.DeleteFunc(found, func(e Entry) bool {
		if e.Origin != Folder || e.Hidden || e.Spec.Draft() {
			return false
		}
		dir := filepath.Dir(e.File)
		first, known := in[e.Spec.Hash()]
		if !known {
			in[e.Spec.Hash()] = dir
		}
		return known && first != dir
	})
}

// overridden leaves out builtin specs whose toolId the operator uses, and sorts
// by name.
func overridden(found []Entry) []Entry {
	own := map[string]bool{}
	for _, e := range found {
		if e.Origin != Builtin {
			own[e.Spec.ToolID()] = true
		}
	}
	found = slices.DeleteFunc(found, func(e Entry) bool { return e.Origin == Builtin && own[e.Spec.ToolID()] })
	slices.SortStableFunc(found, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Spec.Name(), b.Spec.Name()), cmp.Compare(a.File, b.File))
	})
	return found
}

// Entries returns the specs, sorted by name.
func (l *Library) Entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries)
}

// Trouble returns what could not be used.
func (l *Library) Trouble() []Trouble {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.trouble)
}

// Files returns the files of a directory that are read, sorted: every .json file.
// Hidden files are skipped: editors and atomic writes create them briefly.
func Files(dir string) ([]string, error) {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, f := range all {
		if !f.IsDir() && !strings.HasPrefix(f.Name(), ".") && filepath.Ext(f.Name()) == ".json" {
			files = append(files, filepath.Join(dir, f.Name()))
		}
	}
	return files, nil
}

// Read reads a regular file only: a pipe would block, and a device has no end.
func Read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	case info.Size() > catalog.MaxBundleBytes:
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it has %d bytes; %d are the most", info.Size(), catalog.MaxBundleBytes)}
	}
	return os.ReadFile(path)
}
