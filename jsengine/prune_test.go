package jsengine

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestPruneKeepsTheGuestAndTheNewest(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, size, age int) string {
		path := filepath.Join(dir, "wazero", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-time.Duration(age) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	guest := write("guest", 1000, 10*mostCode)
	oldest := write("oldest", 10, 2*mostCode)
	for n := range mostCode - 1 {
		write(fmt.Sprint(n), 10, n)
	}
	prune(dir)
	if _, err := os.Stat(guest); err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(files) != mostCode+1 {
		t.Errorf("%d files are left", len(files))
	}
	write("newest", 10, 0)
	prune(dir)
	if _, err := os.Stat(oldest); err == nil {
		t.Error("the oldest is still there")
	}
	prune("")
}
