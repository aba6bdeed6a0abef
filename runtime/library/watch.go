package library

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/glovebox-run/glovebox/runtime/library/passnote"
)

const (
	// settle is how long a place must be quiet before it is read again: editors and copy
	// tools write in several steps.
	settle = 50 * time.Millisecond
	// longest is the maximum wait for a place that is never quiet because a file in it is
	// written all the time.
	longest = time.Second
	// lookEvery is the polling interval. Polling finds what notifications miss: a folder
	// replaced by another or by a symbolic link, one that was missing for a while, a
	// network file system.
	lookEvery = 2 * time.Second
)

// Watch reloads the library whenever one of its places changes, and calls changed after
// each reload with its result. A change of the pass records counts too; they are polled
// every lookEvery, because every call writes to the folder they are in. Watch returns
// when ctx ends.
func (l *Library) Watch(ctx context.Context, changed func(error)) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("library: watch: %w", err)
	}
	defer watcher.Close()
	// A rename replaces the bundle, so its folder is what can be watched.
	dirs := l.config.dirs()
	places := make([]place, len(dirs))
	for i, dir := range dirs {
		places[i].dir = dir
		if err := places[i].watch(watcher); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("library: watch %s: %w", dir, err)
		}
		places[i].look()
	}
	passes := stamp(l.config.Passes)
	quiet := time.NewTimer(0)
	<-quiet.C
	defer quiet.Stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var since time.Time // of the first change not yet read
	wait := func() {
		if since.IsZero() {
			since = time.Now()
		}
		quiet.Reset(min(settle, time.Until(since.Add(longest))))
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-watcher.Events:
			if matters(e.Name) || slices.Contains(dirs, e.Name) {
				wait()
			}
		case err := <-watcher.Errors:
			changed(fmt.Errorf("library: watch: %w", err))
		case <-tick.C:
			for i := range places {
				if places[i].look() {
					places[i].watch(watcher) // a place that cannot be watched is polled
					wait()
				}
			}
			if l.waits() || stamp(l.config.Passes) != passes {
				wait()
			}
		case <-quiet.C:
			since = time.Time{}
			passes = stamp(l.config.Passes)
			changed(l.Reload())
			for i := range places {
				places[i].look()
			}
		}
	}
}

// matters reports whether a change of that file may change what is in the library.
func matters(name string) bool {
	return filepath.Ext(name) == ".json" || filepath.Base(name) == passnote.Name
}

// stamp distinguishes versions of a file; it is empty when there is none.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
}

// place is a watched folder as last seen.
type place struct {
	dir     string
	folder  fs.FileInfo // nil while there is none
	content string
}

// watch subscribes to changes in the folder that exists now.
func (p *place) watch(w *fsnotify.Watcher) error {
	w.Remove(p.dir) // not being watched is just as good
	return w.Add(p.dir)
}

// look reports whether something changed since the last look.
func (p *place) look() bool {
	folder, err := os.Stat(p.dir)
	if err != nil {
		folder = nil
	}
	var content strings.Builder
	files, _ := os.ReadDir(p.dir) // a missing folder counts as a content too
	for _, f := range files {
		if !matters(f.Name()) {
			continue
		}
		if info, err := os.Stat(filepath.Join(p.dir, f.Name())); err == nil {
			fmt.Fprintln(&content, f.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	same := (p.folder == nil) == (folder == nil) && (folder == nil || os.SameFile(p.folder, folder)) && p.content == content.String()
	p.folder, p.content = folder, content.String()
	return !same
}
