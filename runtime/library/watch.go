package library

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long a place must be quiet before it is read again: editors and
// copies write in several steps.
const settle = 50 * time.Millisecond

// Watch reloads the library whenever one of its places changes, and calls changed
// after each reload with what became of it. It returns when ctx ends.
func (l *Library) Watch(ctx context.Context, changed func(error)) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("library: watch: %w", err)
	}
	defer watcher.Close()
	places := slices.Clone(l.config.Folders)
	if l.config.Bundle != "" {
		// A rename replaces the file, so its folder is what can be watched.
		places = append(places, filepath.Dir(l.config.Bundle))
	}
	for _, dir := range places {
		if err := watcher.Add(dir); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("library: watch %s: %w", dir, err)
		}
	}
	quiet := time.NewTimer(0)
	<-quiet.C
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-watcher.Events:
			if filepath.Ext(e.Name) == ".json" {
				quiet.Reset(settle)
			}
		case err := <-watcher.Errors:
			changed(fmt.Errorf("library: watch: %w", err))
		case <-quiet.C:
			changed(l.Reload())
		}
	}
}
