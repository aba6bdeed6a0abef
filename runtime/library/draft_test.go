package library_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/glovebox-run/glovebox/runtime/library"
)

// TestSaveReplacesOnlyWhatWasSeen: of many writers that saw the same content one counts, and
// what nobody has seen stays.
func TestSaveReplacesOnlyWhatWasSeen(t *testing.T) {
	dir := t.TempDir()
	first, err := library.Save(dir, "a.json", "", []byte("one"))
	if err != nil || first != library.Version([]byte("one")) {
		t.Fatal(first, err)
	}
	if _, err := library.Save(dir, "a.json", "", []byte("two")); !errors.Is(err, library.ErrChanged) {
		t.Errorf("a file that is there was replaced: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.json"), []byte("by an editor"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := library.Save(dir, "a.json", first, []byte("two")); !errors.Is(err, library.ErrChanged) {
		t.Errorf("an editor's file was replaced: %v", err)
	}
	seen := library.Version([]byte("by an editor"))
	var wrote atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := library.Save(dir, "a.json", seen, []byte("by one of us")); err == nil {
				wrote.Add(1)
			}
		})
	}
	all.Wait()
	if wrote.Load() != 1 {
		t.Errorf("%d of 8 writers counted", wrote.Load())
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a.json")); err != nil || string(text) != "by one of us" {
		t.Errorf("the file has %q, %v", text, err)
	}
}

func TestSaveStaysInItsFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"../a.json", "/tmp/a.json", "a", ".json", ".a.json", "a/b.json", "a\x00.json", `a\b.json`, "", "..json", "é.json"} {
		if _, err := library.Save(dir, name, "", []byte("x")); err == nil {
			t.Errorf("%q was written", name)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("there are %v, %v", files, err)
	}
}
