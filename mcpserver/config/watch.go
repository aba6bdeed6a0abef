package config

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settle is how long the files must be quiet before they are read again:
	// editors and copies write in several steps.
	settle = 50 * time.Millisecond
	// lookEvery is the polling interval. Polling finds what notifications miss: the
	// target of a symbolic link, a replaced folder, a network file system.
	lookEvery = 2 * time.Second
	// maxWatched bounds how much of a file is read to detect a change, in bytes.
	maxWatched = 4 << 20
)

// Watched configures [Watch].
type Watched struct {
	// Sources are read again after each change. If File is empty, Default is the
	// path where a file may appear.
	Sources Sources
	Default string
	// Files returns further files named by a configuration whose content matters.
	Files func(*Loaded) []string
	// Again triggers another read, changed or not.
	Again <-chan os.Signal
	// Changed receives the result of each change: the new configuration, or why the
	// previous one stays in effect; and the files that changed, none after Again.
	Changed func(l *Loaded, files []string, err error)
}

// errBlank reports a file between truncation and writing.
var errBlank = errors.New("the file is blank")

// Watch returns when ctx ends. Call it after the first Load; it notices changes
// made in between.
func Watch(ctx context.Context, w Watched, loaded *Loaded) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("configuration: watch: %w", err)
	}
	defer watcher.Close()
	if w.Sources.File == "" {
		w.Sources.File = w.Default
	}
	seen := w.look(watcher, loaded, loaded.File != "")
	if loaded.File != "" {
		seen.sums[w.Sources.File] = loaded.sum // it may have changed since
	}
	quiet := time.NewTimer(0) // fires once at the start
	defer quiet.Stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	again := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.Again:
			again = true
			quiet.Reset(0)
			continue
		case <-watcher.Events:
			quiet.Reset(settle)
			continue
		case <-watcher.Errors: // such as an overflow: look at once
		case <-quiet.C:
		case <-tick.C:
		}
		now := w.look(watcher, loaded, seen.was)
		files := now.differs(seen)
		seen = now
		if len(files) > 0 || again {
			again = false
			l, err := w.load(now)
			if err == nil {
				// Files named for the first time are looked at before they are
				// used, so that no change is missed in between.
				loaded = l
				for path, sum := range w.look(watcher, loaded, now.was).sums {
					if _, known := seen.sums[path]; !known {
						seen.sums[path] = sum
					}
				}
			}
			w.Changed(l, files, err)
		}
	}
}

// view is a snapshot of the files.
type view struct {
	text []byte
	err  error                        // why there is no configuration text
	was  bool                         // there has been a configuration before
	sums map[string][sha256.Size]byte // of each file, by its path
}

func sumOf(text []byte, err error) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%v\n%s", err, text))
}

// differs lists the files that changed and were in the earlier snapshot. The code
// that named a new file has just read it.
func (v view) differs(before view) (files []string) {
	for path, sum := range v.sums {
		if was, known := before.sums[path]; known && was != sum {
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return files
}

// look reads the configuration and the files that loaded names, and subscribes to
// their changes.
func (w *Watched) look(watcher *fsnotify.Watcher, loaded *Loaded, was bool) view {
	v := view{was: was, sums: map[string][sha256.Size]byte{}}
	note := func(path string, text []byte, err error) {
		v.sums[path] = sumOf(text, err)
		// Watch the folder: a replaced file is no longer watched itself. A later
		// look finds a file that does not exist yet.
		_ = watcher.Add(filepath.Dir(path))
	}
	if w.Sources.File != "" {
		v.text, v.err = w.Sources.read()
		if v.err == nil && len(bytes.TrimSpace(v.text)) == 0 {
			v.err = errBlank
		}
		if v.err == nil {
			v.was = true
		}
		note(w.Sources.File, v.text, v.err)
	}
	if w.Files != nil {
		for _, path := range w.Files(loaded) {
			text, err := readFile(path, maxWatched)
			note(path, text, err)
		}
	}
	return v
}

// load makes a configuration from the files. A missing or blank file does not mean
// the defaults: they are looser than most configurations.
func (w *Watched) load(v view) (*Loaded, error) {
	switch {
	case errors.Is(v.err, fs.ErrNotExist) && !v.was, w.Sources.File == "":
		s := w.Sources
		s.File = ""
		return s.Parse(nil)
	case v.err != nil:
		return nil, Problems{{Code: Unreadable, Source: w.Sources.File, Message: v.err.Error(), Fix: "put it back; write comments alone for the defaults"}}
	}
	return w.Sources.Parse(v.text)
}

// Changed returns the keys whose values differ, and one for each upstream or
// composition that differs.
func Changed(before, after *Config) (keys []Key) {
	for _, k := range Keys {
		if k.Show(before) != k.Show(after) {
			keys = append(keys, k)
		}
	}
	for _, s := range sections() {
		for _, name := range s.same(before, after) {
			keys = append(keys, Key{Path: s.name + "." + name, Live: true})
		}
	}
	return keys
}
