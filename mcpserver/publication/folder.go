package publication

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/runtime/library"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

// ErrUnfit means that a folder can be read, and that no server would serve what is in it.
var ErrUnfit = errors.New("it is not fit to be published")

// unfit is ErrUnfit with a reason, which says it all.
type unfit struct{ error }

func (unfit) Is(target error) bool { return target == ErrUnfit }
func (u unfit) Unwrap() error      { return u.error }

// Folder is what of a folder can be published.
type Folder struct {
	Files  map[string][]byte // by name: the specs, and their signed passes
	Specs  int
	Drafts []string // the files that are left out
}

// Read reads a folder: its specs that are no drafts, and their passes, which a key must
// have signed. The error is ErrUnfit if a spec is invalid or not proved, or all are drafts.
func Read(dir string, keys passnote.Keys, now time.Time) (Folder, error) {
	paths, err := library.Files(dir)
	if err != nil {
		return Folder{}, err
	}
	if len(paths) == 0 {
		return Folder{}, fmt.Errorf("%s has no specs, which are files that end in .json", dir)
	}
	note, err := library.CheckNote(dir, keys, now)
	if err != nil {
		return Folder{}, unfit{fmt.Errorf("%s: %w", filepath.Join(dir, passnote.Name), err)}
	}
	f := Folder{Files: map[string][]byte{}}
	for _, path := range paths {
		text, err := library.Read(path)
		if err != nil {
			return Folder{}, err
		}
		spec, problems := catalog.Parse(text)
		if err := problems.Err(); err != nil {
			return Folder{}, unfit{fmt.Errorf("%s: %w", path, err)}
		}
		if spec.Draft() {
			f.Drafts = append(f.Drafts, filepath.Base(path))
			continue
		}
		if _, passed := note.Passes[spec.Hash()]; !passed {
			return Folder{}, unfit{fmt.Errorf("%s has no signed pass, so no server would serve it; run glovebox test --sign %s", path, path)}
		}
		f.Files[filepath.Base(path)] = text
	}
	if f.Specs = len(f.Files); f.Specs == 0 {
		return Folder{}, unfit{fmt.Errorf("every spec in %s is a draft; glovebox test --write publishes those that pass", dir)}
	}
	f.Files[passnote.Name], err = library.Read(filepath.Join(dir, passnote.Name))
	return f, err
}

// Names are the files of its specs, in order.
func (f Folder) Names() []string {
	names := slices.Sorted(maps.Keys(f.Files))
	return slices.DeleteFunc(names, func(name string) bool { return name == passnote.Name })
}

// Specs is how many specs are published.
func (p *Publication) Specs() (n int) {
	for name := range p.Files {
		if filepath.Ext(name) == ".json" {
			n++
		}
	}
	return n
}
