package publication

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/glovebox-run/glovebox/runtime/library"
)

// again is the pause after a copy that failed.
const again = 5 * time.Second

// Mirror keeps a folder, which belongs to it alone, equal to what is published, until ctx
// ends. tell gets each attempt's result: nil after a change that is now on the disk. While
// the store cannot be reached, the folder stays as it is.
func (s *Shelf) Mirror(ctx context.Context, dir string, tell func(error)) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	changes, err := s.values.Watch(ctx, currentKey)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	for {
		var retry <-chan time.Time
		if err := s.copy(ctx, dir); err != nil && !errors.Is(err, ErrNone) {
			tell(err)
			retry = time.After(again)
		} else {
			tell(nil)
		}
		select {
		case <-ctx.Done():
			return nil
		case _, open := <-changes:
			if !open {
				return nil
			}
		case <-retry:
		}
	}
}

// copy makes the folder what is published now. New files come first, so that a name which
// moves from one to another file is never missing; each file is written as a whole.
func (s *Shelf) copy(ctx context.Context, dir string) error {
	p, err := s.Now(ctx)
	if p == nil || err != nil && !errors.Is(err, ErrNone) {
		return err
	}
	for name, hash := range p.Files {
		path := filepath.Join(dir, name)
		if have, err := os.ReadFile(path); err == nil && hashOf(have) == hash {
			continue
		}
		text, err := s.file(ctx, hash)
		if err == nil {
			err = library.WriteFile(path, text)
		}
		if err != nil {
			return fmt.Errorf("the published file %s: %w", name, err)
		}
	}
	found, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range found {
		if _, published := p.Files[f.Name()]; !published {
			if err := os.RemoveAll(filepath.Join(dir, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
