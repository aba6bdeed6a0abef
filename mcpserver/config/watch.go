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
	// settle is how long nothing may have happened before the files are read again:
	// editors and copies write in several steps.
	settle = 50 * time.Millisecond
	// lookEvery is how often the files are looked at without being told. It finds
	// what notifications do not: the target of a symbolic link, a folder that was
	// replaced, a network file system.
	lookEvery = 2 * time.Second
	// maxWatched bounds what is read of a file to see whether it changed, in bytes.
	maxWatched = 4 << 20
)

// Watched is what [Watch] looks after.
type Watched struct {
	// Sources are read again after each change. When File is empty, Default is the
	// path at which a file may appear.
	Sources Sources
	Default string
	// Files are further files whose content matters, as a configuration names them.
	Files func(*Loaded) []string
	// Again makes it read once more, changed or not.
	Again <-chan os.Signal
	// Changed is told what became of each change: what counts now, or why what
	// counted before still does; and the files that changed, none after Again.
	Changed func(l *Loaded, files []string, err error)
}

// errBlank is the state of a file between truncation and writing.
var errBlank = errors.New("the file is blank")

// Watch returns when ctx ends. It is called after the first Load; a change in
// between is noticed.
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
	quiet := time.NewTimer(0) // once at the beginning
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
		case <-watcher.Errors: // an overflow, say: look at once
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
				// What it names for the first time is looked at before it is used, so that
				// no change falls between the two.
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

// view is what the files are at one moment.
type view struct {
	text []byte
	err  error                        // why the configuration has no text
	was  bool                         // there has been a configuration
	sums map[string][sha256.Size]byte // of each file, by its path
}

func sumOf(text []byte, err error) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%v\n%s", err, text))
}

// differs lists the files that changed and were looked at before as well. One that
// is looked at for the first time was read by whoever named it.
func (v view) differs(before view) (files []string) {
	for path, sum := range v.sums {
		if was, known := before.sums[path]; known && was != sum {
			files = append(files, path)
		}
	}
	slices.Sort(files)
	return files
}

// look reads the configuration and the files that loaded names, and sees to it that
// changes of them are heard of.
func (w *Watched) look(watcher *fsnotify.Watcher, loaded *Loaded, was bool) view {
	v := view{was: was, sums: map[string][sha256.Size]byte{}}
	note := func(path string, text []byte, err error) {
		v.sums[path] = sumOf(text, err)
		// The folder: a file that is replaced by another is not watched any more. One
		// that is not there yet is found by a later look.
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

// load makes of the files what counts. A file that is gone or blank is not taken
// for one that asks for the defaults: they are looser than most configurations.
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

// Changed lists the keys whose values differ.
func Changed(before, after *Config) (keys []Key) {
	for _, k := range Keys {
		if k.Show(before) != k.Show(after) {
			keys = append(keys, k)
		}
	}
	return keys
}
