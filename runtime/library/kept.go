package library

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

// awayFor is how long a missing folder or bundle keeps its tools. Moving another into
// its place, or mounting it again, takes a second or two; one still missing after that
// was removed.
const awayFor = 10 * time.Second

// kept is what each place held when it was last read successfully. Only "does not
// exist" removes tools: a process without a free file descriptor, a disk that does not
// answer and a half-written file say nothing about what the operator wants.
type kept struct {
	now     func() time.Time
	files   map[string][]Entry // by file
	folders map[string][]string
	notes   map[string]passnote.Note // by file
	own     passnote.Keys            // that of the operator
	away    map[string]time.Time     // when a place that existed was first missing
	waits   bool                     // something is kept that the last read did not find
}

func newKept(now func() time.Time) *kept {
	return &kept{now: now, files: map[string][]Entry{}, folders: map[string][]string{}, notes: map[string]passnote.Note{}, away: map[string]time.Time{}}
}

// holds reports whether a read error keeps the place's previous content.
func (k *kept) holds(place string, err error) bool {
	if !errors.Is(err, fs.ErrNotExist) {
		return true
	}
	since, known := k.away[place]
	if !known {
		since = k.now()
		k.away[place] = since
	}
	return k.now().Sub(since) < awayFor
}

// folder reads the files of a directory.
func (k *kept) folder(dir string) (entries []Entry, trouble []Trouble) {
	files, err := Files(dir)
	before, known := k.folders[dir]
	if err != nil {
		t := Trouble{File: dir, Err: err}
		if known && k.holds(dir, err) {
			k.waits, t.Kept = true, true
			for _, path := range before {
				entries = append(entries, k.files[path]...)
			}
		} else {
			k.forget(dir)
		}
		return entries, []Trouble{t}
	}
	delete(k.away, dir)
	k.folders[dir] = files
	for _, path := range before {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			delete(k.files, path)
		}
	}
	for _, path := range files {
		e, t := k.file(path)
		entries, trouble = append(entries, e...), append(trouble, t...)
	}
	return entries, trouble
}

func (k *kept) forget(dir string) {
	for _, path := range k.folders[dir] {
		delete(k.files, path)
	}
	delete(k.folders, dir)
}

// file reads one file of a folder, a spec or a bundle.
func (k *kept) file(path string) ([]Entry, []Trouble) {
	text, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		delete(k.files, path)
		// A file removed meanwhile is not reported; a dangling link still exists.
		if _, gone := os.Lstat(path); gone == nil {
			return nil, []Trouble{{File: path, Err: err}}
		}
		return nil, nil
	}
	if err != nil {
		return k.before(path, Trouble{File: path, Err: err})
	}
	if catalog.IsBundle(text) {
		b, trouble := parseBundle(path, text)
		k.files[path] = b.entries(path)
		return k.files[path], trouble
	}
	spec, problems := catalog.Parse(text)
	switch {
	case problems.Err() == nil:
		k.files[path] = []Entry{{Spec: spec, Origin: Folder, File: path}}
		return k.files[path], nil
	case !gjson.ValidBytes(text): // half written; a complete file with errors is intended
		return k.before(path, Trouble{File: path, Problems: problems})
	}
	delete(k.files, path)
	return nil, []Trouble{{File: path, Problems: problems}}
}

// bundle reads the operator's bundle. A file that is not a bundle is set aside, unless
// it was one before: then a write may be in progress.
func (k *kept) bundle(path string) ([]Entry, []Trouble, error) {
	before, known := k.files[path]
	text, err := Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(before) == 0:
		k.files[path] = []Entry{}
		return nil, nil, nil
	case err != nil && !known:
		return nil, nil, err
	case err != nil && k.holds(path, err):
		e, t := k.before(path, Trouble{File: path, Err: err})
		return e, t, nil
	case err != nil:
		k.files[path] = []Entry{}
		return nil, []Trouble{{File: path, Err: err}}, nil
	}
	delete(k.away, path)
	if !catalog.IsBundle(text) && known {
		_, problems := catalog.ParseBundle(text)
		e, t := k.before(path, Trouble{File: path, Problems: problems, Err: errors.New("no bundle of specs")})
		return e, t, nil
	}
	b, trouble, err := readBundle(path)
	if err != nil {
		return nil, nil, err
	}
	k.files[path] = b.entries(path)
	return k.files[path], trouble, nil
}

// before returns the previous content of a file that cannot be read now.
func (k *kept) before(path string, t Trouble) ([]Entry, []Trouble) {
	entries, known := k.files[path]
	if known && len(entries) > 0 {
		k.waits, t.Kept = true, true
	}
	return entries, []Trouble{t}
}
