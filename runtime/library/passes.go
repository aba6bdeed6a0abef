package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
)

// Pass records that one version of a tool passed its own test.
type Pass struct {
	Tool    string    `json:"tool"`
	At      time.Time `json:"at"`
	Runtime string    `json:"runtime"` // the runtime it passed in
}

// Passes are an operator's Local Pass records, by content hash. An edit gives a tool
// another hash, so its record no longer applies.
type Passes struct {
	path   string
	before func(step)

	mu     sync.Mutex
	byHash map[string]Pass
}

// OpenPasses reads the records at path; a file that does not exist yet is an
// empty set. A damaged file is set aside and named in the error: every tool then
// has to pass again, which is safe, and nothing is lost.
func OpenPasses(path string) (*Passes, error) {
	p := &Passes{path: path, before: func(step) {}, byHash: map[string]Pass{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("pass records: %w", err)
	}
	all, err := decodePasses(text)
	if errors.Is(err, ErrNewer) {
		return p, fmt.Errorf("pass records: %s: %w", path, err)
	}
	if err != nil {
		aside, moved := setAside(path)
		return p, errors.Join(fmt.Errorf("pass records: %s is damaged and was kept as %s; test the tools again: %w", path, aside, err), moved)
	}
	p.byHash = all
	return p, nil
}

// passesVersion is the version of the file's format. It grows when a member is added
// that must not be dropped.
const passesVersion = 1

// ErrNewer means that a file is of a newer version, and was left alone.
var ErrNewer = errors.New("a newer version of this program has written it: use that one, or restore the backup from before")

// passFile is the content of the file. Version 0 was the map alone.
type passFile struct {
	Version int             `json:"version"`
	Passes  map[string]Pass `json:"passes"`
}

func decodePasses(text []byte) (map[string]Pass, error) {
	var f passFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, err
	}
	if f.Version > passesVersion {
		return nil, fmt.Errorf("version %d: %w", f.Version, ErrNewer)
	}
	if f.Version == 0 {
		if err := json.Unmarshal(text, &f.Passes); err != nil {
			return nil, err
		}
	}
	if f.Passes == nil { // null, or nothing
		f.Passes = map[string]Pass{}
	}
	return f.Passes, nil
}

// CountPasses reads the content of a file of pass records and returns how many there
// are.
func CountPasses(text []byte) (int, error) {
	all, err := decodePasses(text)
	return len(all), err
}

// Reload reads the records again. A missing file has none; any other error, including a
// half-written file, keeps those read before.
func (p *Passes) Reload() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all map[string]Pass
	text, err := os.ReadFile(p.path)
	if err == nil {
		all, err = decodePasses(text)
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("pass records: %s: %w; those that were read before stay", p.path, err)
	}
	p.byHash = all
	return nil
}

// Has reports whether that version of a tool passed.
func (p *Passes) Has(h catalog.ContentHash) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.byHash[h.String()]
	return ok
}

// Add records a pass, merges it with those that other processes added meanwhile, and
// writes it to disk before returning.
func (p *Passes) Add(h catalog.ContentHash, pass Pass) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	all, err := p.save(h.String(), pass)
	if err != nil {
		return fmt.Errorf("pass records: %w", err)
	}
	p.byHash = all
	return nil
}

func (p *Passes) save(hash string, pass Pass) (map[string]Pass, error) {
	if err := os.MkdirAll(filepath.Dir(p.path), 0o700); err != nil {
		return nil, err
	}
	unlock, err := lock(p.path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var all map[string]Pass
	text, err := os.ReadFile(p.path)
	if err == nil {
		all, err = decodePasses(text)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if all == nil { // no file yet
		all = map[string]Pass{}
	}
	maps.Copy(all, p.byHash)
	all[hash] = pass
	if text, err = json.MarshalIndent(passFile{passesVersion, all}, "", "  "); err != nil {
		return nil, err
	}
	return all, replace(p.path, append(text, '\n'), 0o600, p.before)
}
