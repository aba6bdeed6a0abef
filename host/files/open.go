package files

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Helper is the name under which failures are reported.
const Helper = "safety.fs"

// Want is what a tool asks for. The zero Want asks for nothing.
type Want struct {
	Read, Write, Destroy bool
	// Base confines everything to one directory; empty means the workspace and,
	// for reading, the further roots.
	Base string
}

// Access is what a tool gets. A field is nil when it was not asked for.
type Access struct {
	Where   *Where
	Read    *Reader
	Write   *Writer
	Destroy *Destroyer

	base *tree // opened for this access alone, or nil
}

// Open makes the capabilities of one call. Without a base they reach the
// workspace and, for reading, the roots; a base leaves nothing but itself.
func Open(want Want, space *Workspace, roots []*ReadRoot) (*Access, error) {
	if space == nil {
		return nil, errors.New("the posture asks for files, which this host does not lend")
	}
	home := space.tree
	readable := []*tree{home}
	for _, r := range roots {
		readable = append(readable, r.tree)
	}
	writable := []*tree{home}
	a := &Access{}
	if want.Base != "" {
		base, inWorkspace, err := openBase(want.Base, places{home.path, readable})
		if err != nil {
			return nil, err
		}
		a.base, home, readable, writable = base, base, []*tree{base}, nil
		if inWorkspace {
			writable = readable
		}
	}
	a.Where = &Where{home: filepath.ToSlash(home.path), roots: []string{}}
	if want.Read {
		a.Read = &Reader{places{home.path, readable}}
		for _, t := range readable {
			a.Where.roots = append(a.Where.roots, filepath.ToSlash(t.path))
		}
	}
	if want.Write {
		a.Write = &Writer{places: places{home.path, writable}, space: space, sources: places{home.path, writable}}
		if want.Read {
			a.Write.sources = a.Read.places
		}
		if want.Destroy {
			a.Destroy = &Destroyer{a.Write}
		}
	}
	return a, nil
}

// Close closes what was opened for this access alone.
func (a *Access) Close() {
	if a.base != nil {
		a.base.root.Close()
	}
}

// openBase opens the directory that a posture confines its tool to. It must lie
// in what the operator lends; in the workspace (the first tree) it is made if
// need be.
func openBase(base string, lent places) (t *tree, inWorkspace bool, err error) {
	at, err := lent.lookup(base)
	if err != nil {
		return nil, false, fmt.Errorf("the posture confines files to %q, which this host does not lend", base)
	}
	if inWorkspace = at.tree == lent.trees[0]; inWorkspace {
		if err := at.root.MkdirAll(at.rel, 0o755); err != nil {
			return nil, false, fmt.Errorf("the posture confines files to %q: %s", base, plainReason(err))
		}
	}
	t, err = at.sub(at.rel)
	if err != nil {
		return nil, false, fmt.Errorf("the posture confines files to %q: %s", base, plainReason(err))
	}
	return t, inWorkspace, nil
}
