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

	"github.com/glovebox-run/glovebox/catalog"
)

// Origin says where a spec was found.
type Origin string

const (
	Builtin Origin = "builtin" // ships with the program
	Saved   Origin = "bundle"  // in the operator's bundle file
	Folder  Origin = "folder"  // a file of its own
)

// Config says where specs are. The zero value finds none.
type Config struct {
	// Builtin are the specs that ship with the program. A spec of the operator's
	// with the same toolId takes the place of one.
	Builtin []*catalog.Spec
	// Bundle is the path of the operator's bundle; it need not exist.
	Bundle string
	// Folders hold one .json file for each spec.
	Folders []string
}

// Entry is a spec and where it came from.
type Entry struct {
	Spec   *catalog.Spec
	Origin Origin
	File   string // empty for Builtin
	// Hidden says that the server settings of the bundle do not offer the tool.
	Hidden bool
}

// Trouble is a file, or one spec in it, that could not be used. The others can.
type Trouble struct {
	File     string
	Problems catalog.Problems
	Err      error // the file could not be read at all
}

func (t Trouble) Error() string {
	err := t.Err
	if path := (*fs.PathError)(nil); errors.As(err, &path) && path.Path == t.File {
		err = path.Err // the file is named once
	}
	return fmt.Sprintf("%s: %v", t.File, errors.Join(err, t.Problems.Err()))
}

// Library holds the specs as they were at the last Reload. It is safe for
// concurrent use.
type Library struct {
	config Config
	before func(step) // see replace

	mu      sync.Mutex
	entries []Entry
	trouble []Trouble
}

// Open reads all places. What is wrong with single files is in Trouble; the
// error says that a place itself could not be read.
func Open(config Config) (*Library, error) {
	l := &Library{config: config, before: func(step) {}}
	for _, dir := range config.Folders {
		// Later a folder may be away for a while; a name that was misspelt never comes.
		if _, err := os.ReadDir(dir); err != nil {
			return l, fmt.Errorf("library: %w", err)
		}
	}
	return l, l.Reload()
}

// Reload reads all places again. A folder that cannot be read is trouble of its own
// and leaves the others alone. When Reload fails the library stays as it was.
func (l *Library) Reload() error {
	var found []Entry
	var trouble []Trouble
	add := func(e []Entry, t []Trouble) { found, trouble = append(found, e...), append(trouble, t...) }
	for _, spec := range l.config.Builtin {
		found = append(found, Entry{Spec: spec, Origin: Builtin})
	}
	if l.config.Bundle != "" {
		b, t, err := readBundle(l.config.Bundle)
		if err != nil {
			return fmt.Errorf("library: %w", err)
		}
		add(b.entries(l.config.Bundle), t)
	}
	for _, dir := range l.config.Folders {
		e, t, err := readFolder(dir)
		if err != nil {
			t = []Trouble{{File: dir, Err: err}}
		}
		add(e, t)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries, l.trouble = overridden(found), trouble
	return nil
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

// Files returns what of a directory is read, sorted: every .json file. Hidden files
// are none of ours: editors and atomic writes leave them for moments.
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

// readFolder reads the files of a directory.
func readFolder(dir string) ([]Entry, []Trouble, error) {
	files, err := Files(dir)
	if err != nil {
		return nil, nil, err
	}
	var entries []Entry
	var trouble []Trouble
	for _, path := range files {
		text, err := Read(path)
		if err != nil {
			// A file that went away meanwhile is no trouble; a link that leads nowhere
			// is there still.
			if _, gone := os.Lstat(path); gone == nil {
				trouble = append(trouble, Trouble{File: path, Err: err})
			}
			continue
		}
		if catalog.IsBundle(text) {
			b, t := parseBundle(path, text)
			entries, trouble = append(entries, b.entries(path)...), append(trouble, t...)
			continue
		}
		spec, problems := catalog.Parse(text)
		if problems.Err() != nil {
			trouble = append(trouble, Trouble{File: path, Problems: problems})
			continue
		}
		entries = append(entries, Entry{Spec: spec, Origin: Folder, File: path})
	}
	return entries, trouble, nil
}

// Read reads a file that is one: a pipe would be waited for, and a device has no
// end.
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
