package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheWayOutOfAForeignHeadWorks does what the error says: the folder is moved
// aside, and a new record begins.
func TestTheWayOutOfAForeignHeadWorks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	path := filepath.Join(dir, "audit.jsonl")
	log, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(Record{ID: "a", Outcome: OK}); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".key", []byte(strings.Repeat("k", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), "moving that folder aside") || !strings.Contains(err.Error(), dir) {
		t.Fatalf("%v", err)
	}
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	if log, err = Open(path, Options{}); err != nil {
		t.Fatal(err)
	}
	log.Close()
}
