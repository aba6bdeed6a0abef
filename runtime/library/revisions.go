package library

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

const (
	revisionsFormat = 1
	// maxRevisions bounds the texts of one tool that are kept, the newest.
	maxRevisions = 20
	// maxRevisionBytes bounds what the texts of one tool take together.
	maxRevisionBytes = 512 << 10
	// maxRevisionFiles bounds the tools whose texts are kept: those that changed last.
	maxRevisionFiles = 2000
)

// Revisions keeps the texts that the operator's specs had, in a folder with one file for
// each name of a tool. It is safe for concurrent use by one process.
type Revisions struct {
	dir string

	mu   sync.Mutex
	last map[string]string // the hash that was kept last, by name
}

// Revision is one text that a spec had.
type Revision struct {
	Hash string    `json:"hash"` // of the content, in hexadecimal
	At   time.Time `json:"at"`   // when it was first seen
	// Text is the document. It is empty if it has no room: then only the hash is known.
	Text string `json:"text,omitempty"`
}

// revisionFile is what a file of the folder holds.
type revisionFile struct {
	Format    int        `json:"version"`
	Tool      string     `json:"tool"`
	Revisions []Revision `json:"revisions"` // oldest first
}

// NewRevisions returns the texts that a folder keeps. The folder need not exist.
func NewRevisions(dir string) *Revisions { return &Revisions{dir: dir, last: map[string]string{}} }

// Keep keeps the text of a spec, unless it is the one that was kept last.
func (v *Revisions) Keep(name, hash string, text []byte, at time.Time) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.last[name] == hash {
		return nil
	}
	f, err := v.read(name)
	if err != nil {
		return err
	}
	if n := len(f.Revisions); n == 0 || f.Revisions[n-1].Hash != hash {
		f.Revisions = append(f.Revisions, Revision{hash, at.UTC(), string(text)})
		f.bound()
		if err := v.write(f); err != nil {
			return err
		}
	}
	v.last[name] = hash
	return nil
}

// Of returns the texts of a spec, oldest first.
func (v *Revisions) Of(name string) ([]Revision, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f, err := v.read(name)
	return f.Revisions, err
}

// bound forgets the oldest texts.
func (f *revisionFile) bound() {
	if more := len(f.Revisions) - maxRevisions; more > 0 {
		f.Revisions = slices.Delete(f.Revisions, 0, more)
	}
	room := maxRevisionBytes
	for i := len(f.Revisions) - 1; i >= 0; i-- {
		if room -= len(f.Revisions[i].Text); room < 0 {
			f.Revisions[i].Text = ""
		}
	}
}

// path is the file of a name, which can be any text.
func (v *Revisions) path(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(v.dir, hex.EncodeToString(sum[:16])+".json")
}

// read reads the file of a name. What is damaged is begun anew, as nothing is decided by
// it; what a newer program wrote is left alone.
func (v *Revisions) read(name string) (*revisionFile, error) {
	fresh := &revisionFile{Format: revisionsFormat, Tool: name}
	path := v.path(name)
	text, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return fresh, err
	}
	var f revisionFile
	if err := json.Unmarshal(text, &f); err != nil || f.Format < revisionsFormat || f.Tool != name {
		return fresh, nil
	}
	if f.Format > revisionsFormat {
		return fresh, fmt.Errorf("%s has the format %d, and this program writes %d; use the program that wrote it, or a newer one", path, f.Format, revisionsFormat)
	}
	return &f, nil
}

func (v *Revisions) write(f *revisionFile) error {
	text, err := json.Marshal(f)
	if err == nil {
		err = os.MkdirAll(v.dir, 0o700)
	}
	if err == nil {
		err = WriteFile(v.path(f.Tool), text)
	}
	if err != nil || len(f.Revisions) > 1 { // an old file
		return err
	}
	return v.tidy()
}

// tidy removes the files that changed longest ago, if there are too many.
func (v *Revisions) tidy() error {
	files, err := Files(v.dir)
	if err != nil || len(files) <= maxRevisionFiles {
		return err
	}
	changed := map[string]time.Time{}
	for _, path := range files {
		if info, err := os.Stat(path); err == nil {
			changed[path] = info.ModTime()
		}
	}
	slices.SortFunc(files, func(a, b string) int { return changed[a].Compare(changed[b]) })
	for _, path := range files[:len(files)-maxRevisionFiles] {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	clear(v.last) // which names they had is in the files
	return nil
}
