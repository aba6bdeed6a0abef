package scans

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/glovebox-run/glovebox/risk/score"
)

// Folder is the board of one machine: a folder with one small file for every server that
// was scanned. A gateway reads it while a scan writes; the history is for one process at
// a time. The empty Folder has nothing.
type Folder string

// Of implements [Board].
func (b Folder) Of(t score.Target) (*Last, error) { return b.of(server(t)) }

// Fresh implements [Board]: the files are read each time.
func (Folder) Fresh(context.Context) error { return nil }

// Watch implements [Board]: nobody else's machine writes here.
func (Folder) Watch(func()) {}

func (b Folder) file(server string) string { return filepath.Join(string(b), server+".json") }

func (b Folder) of(server string) (*Last, error) {
	if b == "" {
		return nil, nil
	}
	f, err := os.Open(b.file(server))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLast))
	if err != nil {
		return nil, err
	}
	last, err := read(text, server)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.Name(), err)
	}
	return last, err
}

// change implements [Board]. What cannot be read is replaced. Who reads meanwhile sees the
// old or the new.
func (b Folder) change(_ context.Context, server string, f func(*Last) *Last) error {
	if b == "" {
		return nil
	}
	before, err := b.of(server)
	if of := (*newer)(nil); errors.As(err, &of) {
		return err
	}
	last := f(before)
	if last == nil {
		return nil
	}
	text, err := json.Marshal(last)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(b), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(string(b), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // gone already if all went well
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), b.file(server))
}
