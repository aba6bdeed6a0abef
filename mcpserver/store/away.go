package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// marks remember which files and folders the names of an embedded store led to. A
// server whose folder is moved goes on writing to it, where nobody looks.
type marks struct {
	mu     sync.Mutex
	found  map[string]fs.FileInfo
	blocks map[string]string // the newest block of messages seen, by folder
}

// mark remembers the folders of a stream, or with an empty name those of the store.
func (s *Store) mark(stream string) error {
	if s.heads == nil { // a cluster
		return nil
	}
	names := []string{s.place, filepath.Join(s.place, "lock")}
	if stream != "" {
		names = []string{streamDir(s.place, stream), filepath.Join(streamDir(s.place, stream), "msgs")}
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return s.unopened(err)
		}
		s.marks.set(name, info)
	}
	return nil
}

func streamDir(place, stream string) string {
	return filepath.Join(place, "jetstream", "$G", "streams", stream)
}

func (m *marks) set(name string, info fs.FileInfo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.found == nil {
		m.found, m.blocks = map[string]fs.FileInfo{}, map[string]string{}
	}
	m.found[name] = info
}

// stand reports a file or folder that is no longer under its name.
func (m *marks) stand() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, was := range m.found {
		info, err := os.Stat(name)
		if err != nil {
			return m.away(name, err)
		}
		if !os.SameFile(was, info) {
			return &Error{Code: Away, Op: "look at", Place: name, Cause: errors.New("another is there now")}
		}
	}
	return nil
}

func (m *marks) away(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("it was moved or deleted while it was in use")
		return &Error{Code: Away, Op: "look at", Place: name, Cause: err}
	}
	return failed("look at", name, err)
}

// Stands reports whether the files of an embedded store are still where they were. It
// writes nothing. Blocks of messages come and go; the newest is only followed by a newer one.
func (s *Store) Stands() error {
	if s.heads == nil {
		return nil
	}
	if err := s.marks.stand(); err != nil {
		return err
	}
	s.marks.mu.Lock()
	defer s.marks.mu.Unlock()
	for name := range s.marks.found {
		if filepath.Base(name) != "msgs" {
			continue
		}
		files, err := os.ReadDir(name)
		if err != nil {
			return s.marks.away(name, err)
		}
		newest := ""
		for _, f := range files {
			if number, is := strings.CutSuffix(f.Name(), ".blk"); is && later(number, newest) {
				newest = number
			}
		}
		if before := s.marks.blocks[name]; later(before, newest) {
			return s.marks.away(filepath.Join(name, fmt.Sprint(before, ".blk")), fs.ErrNotExist)
		}
		s.marks.blocks[name] = newest
	}
	return nil
}

// later compares the numbers that blocks are named by.
func later(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }
