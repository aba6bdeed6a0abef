package library

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func keep(t *testing.T, v *Revisions, name, hash, text string) {
	t.Helper()
	if err := v.Keep(name, hash, []byte(text), began); err != nil {
		t.Fatal(err)
	}
}

func hashes(t *testing.T, v *Revisions, name string) (all []string) {
	t.Helper()
	kept, err := v.Of(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kept {
		all = append(all, k.Hash)
	}
	return all
}

// TestRevisionsAreKept: each change of a text once, a text that comes back as well, and
// after a start the same ones.
func TestRevisionsAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "revisions") // which is made
	v := NewRevisions(dir)
	for _, step := range []string{"a", "a", "b", "a"} {
		keep(t, v, "x/../y", step, "text of "+step)
	}
	v = NewRevisions(dir)
	keep(t, v, "x/../y", "a", "text of a")
	keep(t, v, "other", "c", "text of c")
	if got := fmt.Sprint(hashes(t, v, "x/../y")); got != "[a b a]" {
		t.Errorf("kept are %v", got)
	}
	if kept, _ := v.Of("x/../y"); kept[1].Text != "text of b" || !kept[1].At.Equal(began) {
		t.Errorf("the second is %+v", kept[1])
	}
	if got := hashes(t, v, "unknown"); got != nil {
		t.Errorf("of an unknown tool: %v", got)
	}
}

// TestRevisionsAreBounded: in number, in bytes and in tools; the newest stay.
func TestRevisionsAreBounded(t *testing.T) {
	v := NewRevisions(t.TempDir())
	for i := range maxRevisions + 5 {
		keep(t, v, "often", fmt.Sprint(i), "x")
	}
	if got := hashes(t, v, "often"); len(got) != maxRevisions || got[0] != "5" {
		t.Errorf("%d are kept, from %v", len(got), got[0])
	}
	large := strings.Repeat("x", maxRevisionBytes/2)
	for _, hash := range []string{"a", "b", "c"} {
		keep(t, v, "large", hash, large)
	}
	kept, err := v.Of("large")
	if err != nil || len(kept) != 3 || kept[0].Text != "" || kept[1].Text == "" || kept[2].Text == "" {
		t.Errorf("of three large texts, %d are kept: %v", len(kept), err)
	}
	old := v.path("often")
	if err := os.Chtimes(old, began, began); err != nil {
		t.Fatal(err)
	}
	for i := range maxRevisionFiles {
		if err := os.WriteFile(filepath.Join(v.dir, fmt.Sprintf("f%d.json", i)), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keep(t, v, "new", "a", "x")
	if files, err := Files(v.dir); err != nil || len(files) != maxRevisionFiles {
		t.Errorf("there are %d files, %v", len(files), err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the file that changed longest ago is still there")
	}
	keep(t, v, "often", "24", "x") // what was removed is kept again
	if got := fmt.Sprint(hashes(t, v, "often")); got != "[24]" {
		t.Errorf("kept are %v", got)
	}
}

// TestDamagedRevisions: a damaged file is begun anew, one of a newer program stays.
func TestDamagedRevisions(t *testing.T) {
	v := NewRevisions(t.TempDir())
	if err := os.WriteFile(v.path("cut"), []byte(`{"version":1,"tool":"c`), 0o600); err != nil {
		t.Fatal(err)
	}
	keep(t, v, "cut", "a", "x")
	if got := fmt.Sprint(hashes(t, v, "cut")); got != "[a]" {
		t.Errorf("kept are %v", got)
	}
	newer := `{"version":2,"tool":"newer","revisions":[]}`
	if err := os.WriteFile(v.path("newer"), []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := v.Keep("newer", "a", []byte("x"), began); err == nil || !strings.Contains(err.Error(), "newer one") {
		t.Errorf("it is said: %v", err)
	}
	if text, _ := os.ReadFile(v.path("newer")); string(text) != newer {
		t.Errorf("it is now %s", text)
	}
}
