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

// Watch reloads the library whenever one of its places has changed since the last reload,
// and calls changed after each reload with its result. A change of the pass records counts too; they are polled
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
	for _, dir := range dirs {
		if err := watch(watcher, dir); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("library: watch %s: %w", dir, err)
		}
	}
	seen := l.lastSeen()
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
	look := func() {
		now := l.config.look()
		for i, dir := range dirs {
			if !now.places[i].same(seen.places[i]) {
				watch(watcher, dir) // a place that cannot be watched is polled
				wait()
			}
		}
		if l.waits() || now.passes != seen.passes {
			wait()
		}
	}
	look()
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
			look()
		case <-quiet.C:
			since = time.Time{}
			err := l.Reload()
			seen = l.lastSeen()
			changed(err)
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

// view is what the places looked like just before they were read.
type view struct {
	places []place // in the order of dirs
	passes string  // see stamp
}

func (c Config) look() view {
	v := view{passes: stamp(c.Passes)}
	for _, dir := range c.dirs() {
		v.places = append(v.places, look(dir))
	}
	return v
}

// lastSeen returns what the places looked like before the last Reload.
func (l *Library) lastSeen() view {
	l.reading.Lock()
	defer l.reading.Unlock()
	return l.seen
}

// place is what a folder of specs looks like.
type place struct {
	folder  fs.FileInfo // nil while there is none
	content string      // name, size and time of each file that matters
}

func look(dir string) (p place) {
	if folder, err := os.Stat(dir); err == nil {
		p.folder = folder
	}
	var content strings.Builder
	files, _ := os.ReadDir(dir) // a missing folder counts as a content too
	for _, f := range files {
		if !matters(f.Name()) {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, f.Name())); err == nil {
			fmt.Fprintln(&content, f.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	p.content = content.String()
	return p
}

func (p place) same(as place) bool {
	if p.folder == nil || as.folder == nil {
		return p.folder == nil && as.folder == nil
	}
	return os.SameFile(p.folder, as.folder) && p.content == as.content
}

// watch subscribes to changes in the folder that exists now.
func watch(w *fsnotify.Watcher, dir string) error {
	w.Remove(dir) // not being watched is just as good
	return w.Add(dir)
}
