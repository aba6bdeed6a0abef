package library

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/internal/osfile"
	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

// travelling are the passes that came with the specs, of all places together.
type travelling struct {
	until map[catalog.ContentHash]time.Time // zero is never
	tools map[string]string                 // the file, by the name of a tool that passed
	next  time.Time                         // when the first of them stop to count; zero is never
}

func (p *travelling) add(file string, n passnote.Note) {
	if p.until == nil {
		p.until, p.tools = map[catalog.ContentHash]time.Time{}, map[string]string{}
	}
	for h, pass := range n.Passes {
		if old, known := p.until[h]; !known || !old.IsZero() && (n.Until.IsZero() || old.Before(n.Until)) {
			p.until[h] = n.Until
		}
		p.tools[pass.Tool] = file
	}
	if !n.Until.IsZero() && (p.next.IsZero() || n.Until.Before(p.next)) {
		p.next = n.Until
	}
}

// has reports whether that content passed.
func (p travelling) has(h catalog.ContentHash, now time.Time) bool {
	until, known := p.until[h]
	return known && passnote.Note{Until: until}.Counts(now)
}

// note reads the signed passes beside specs. Like a spec, a file that is refused keeps
// what it said before: a key that was accepted signed that.
func (k *kept) note(dir string, keys passnote.Keys) (n passnote.Note, trouble []Trouble) {
	path := filepath.Join(dir, passnote.Name)
	before, known := k.notes[path]
	n, err := readNote(path, keys, k.now())
	switch {
	case err == nil:
		k.notes[path] = n
		return n, nil
	case errors.Is(err, fs.ErrNotExist):
		_, away := os.Stat(dir)
		if known && away != nil && k.holds(dir, away) && before.Counts(k.now()) {
			k.waits = true
			return before, nil // the folder says that it is away
		}
		delete(k.notes, path)
		return n, nil
	}
	t := Trouble{File: path, Err: err}
	if known && before.Counts(k.now()) {
		k.waits, t.Kept = true, true
		return before, []Trouble{t}
	}
	delete(k.notes, path)
	return n, []Trouble{t}
}

// keys returns the keys that count: the given ones and the operator's own.
func (k *kept) keys(given passnote.Keys, path string) (passnote.Keys, []Trouble) {
	own, err := ReadPassKey(path)
	switch {
	case path == "" || errors.Is(err, ErrNoKey):
		k.own = passnote.Keys{}
	case err != nil:
		return given.And(k.own), []Trouble{{File: path, Err: err}}
	default:
		k.own = own.Keys()
	}
	return given.And(k.own), nil
}

func readNote(path string, keys passnote.Keys, now time.Time) (passnote.Note, error) {
	info, err := os.Stat(path)
	if err != nil {
		return passnote.Note{}, err
	}
	if info.Size() > passnote.MaxBytes {
		return passnote.Note{}, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it has %d bytes; %d are the most", info.Size(), passnote.MaxBytes)}
	}
	text, err := Read(path)
	if err != nil {
		return passnote.Note{}, err
	}
	return passnote.Open(text, keys, now)
}

// CheckNote reads the passes beside specs, as a library does, and returns nothing if
// there are none.
func CheckNote(dir string, keys passnote.Keys, now time.Time) (passnote.Note, error) {
	n, err := readNote(filepath.Join(dir, passnote.Name), keys, now)
	if errors.Is(err, fs.ErrNotExist) {
		return passnote.Note{}, nil
	}
	return n, err
}

// Signing is what one run of tests says about the specs of a folder.
type Signing struct {
	Passed map[catalog.ContentHash]passnote.Pass
	Failed []catalog.ContentHash
	Until  time.Time // zero is never
}

// SignPasses writes the file beside specs: the passes in it that still count, without
// those that failed now, and those of now. What another key signed is not replaced.
func SignPasses(dir string, s Signing, key passnote.Key, now time.Time) error {
	path := filepath.Join(dir, passnote.Name)
	unlock, err := osfile.LockDir(dir)
	if err != nil {
		return err
	}
	defer unlock()
	n, err := readNote(path, key.Keys(), now)
	if err != nil && !slices.ContainsFunc(replaceable, func(of error) bool { return errors.Is(err, of) }) {
		return fmt.Errorf("%s is not replaced: %w; or move it away", path, err)
	}
	all := passnote.Note{Until: s.Until, Passes: map[catalog.ContentHash]passnote.Pass{}}
	for h, p := range n.Passes {
		all.Passes[h] = p
	}
	for _, h := range s.Failed {
		delete(all.Passes, h)
	}
	for h, p := range s.Passed {
		all.Passes[h] = p
	}
	text, err := all.Sign(key)
	if err != nil {
		return err
	}
	return replace(path, text, cmp.Or(modeOf(path), 0o644), func(step) {}) // no secret, like the specs
}

// replaceable are the reasons why a file counts for nobody, so that nothing is lost with
// it.
var replaceable = []error{fs.ErrNotExist, passnote.ErrChanged, passnote.ErrExpired, passnote.ErrOtherBox}

func modeOf(path string) fs.FileMode {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Mode().Perm()
}

// ErrNoKey means that there is no key to sign with.
var ErrNoKey = errors.New("there is no key to sign passes with")

// ReadPassKey reads the key that signs passes. It refuses a file that others can read.
func ReadPassKey(path string) (passnote.Key, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return passnote.Key{}, fmt.Errorf("%s: %w", path, ErrNoKey)
	}
	if err != nil {
		return passnote.Key{}, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return passnote.Key{}, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it has mode %04o, so others may read it; run chmod 600 on it", info.Mode().Perm())}
	}
	text, err := Read(path)
	if err != nil {
		return passnote.Key{}, err
	}
	key, err := passnote.ParseKey(text)
	if err != nil {
		err = &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return key, err
}

// MakePassKey makes the key that signs passes, unless another process did meanwhile.
func MakePassKey(path string) (passnote.Key, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return passnote.Key{}, err
	}
	unlock, err := lock(path)
	if err != nil {
		return passnote.Key{}, err
	}
	defer unlock()
	if key, err := ReadPassKey(path); !errors.Is(err, ErrNoKey) {
		return key, err
	}
	key, err := passnote.NewKey()
	if err != nil {
		return key, err
	}
	return key, replace(path, []byte(key.Private()+"\n"), 0o600, func(step) {})
}
