package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestQuota(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "old"), make([]byte, 60), 0o600); err != nil {
		t.Fatal(err)
	}
	space, err := OpenWorkspace(dir, Quota{Bytes: 100, Entries: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	a, err := Open(everything, space, nil)
	if err != nil {
		t.Fatal(err)
	}
	write := func(path string, n int) string {
		return outcome(call(a, "writeText", fmt.Sprintf(`{"path":%q,"text":%q}`, path, strings.Repeat("x", n))))
	}
	const full = "HELPER_RUNTIME quota-exceeded"
	if got := write("new", 41); got != full {
		t.Errorf("41 bytes beside 60 of 100: %s", got)
	}
	if got := write("new", 40); strings.HasPrefix(got, "HELPER") {
		t.Errorf("40 bytes beside 60 of 100: %s", got)
	}
	if got := write("new", 30); strings.HasPrefix(got, "HELPER") {
		t.Errorf("making a file smaller: %s", got)
	}
	if got := write("a/b/c", 0); got != full {
		t.Errorf("three entries beside two of four: %s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "a")); err == nil {
		t.Error("a refused write made directories")
	}
	if got := write("a/b", 0); strings.HasPrefix(got, "HELPER") {
		t.Errorf("two entries beside two of four: %s", got)
	}
	if got := write("e", 0); got != full {
		t.Errorf("a fifth entry: %s", got)
	}
	if got := outcome(call(a, "appendText", `{"path":"new","text":"`+strings.Repeat("y", 11)+`"}`)); got != full {
		t.Errorf("append beyond the quota: %s", got)
	}
	if got := outcome(call(a, "copy", `{"from":"old","to":"a/b"}`)); got != full {
		t.Errorf("copy beyond the quota: %s", got)
	}
	if got := outcome(call(a, "deleteDir", `{"path":"a"}`)); got != "2" {
		t.Errorf("deleteDir: %s", got)
	}
	if got := write("e", 10); strings.HasPrefix(got, "HELPER") {
		t.Errorf("after deleting: %s", got)
	}
	// An operator made room; the count is taken anew before a refusal.
	if err := os.Remove(filepath.Join(dir, "old")); err != nil {
		t.Fatal(err)
	}
	if got := write("e", 60); strings.HasPrefix(got, "HELPER") {
		t.Errorf("after the operator made room: %s", got)
	}
	if space.used != (Quota{Bytes: 90, Entries: 2}) {
		t.Errorf("counted %+v", space.used)
	}
}

// A write that fails leaves no file, no directory entry and no quota behind.
func TestAFailedWriteLeavesNothing(t *testing.T) {
	s := newStage(t, map[string]string{"old": "old"})
	a := s.open(t, everything)
	before := s.space.used
	for _, name := range []string{"old", "new"} {
		at, err := a.Write.locate(name)
		if err != nil {
			t.Fatal(err)
		}
		failure := errors.New("the source went away")
		if err := a.Write.replace(at, 100, func(f io.Writer) error { io.WriteString(f, "half"); return failure }); !errors.Is(err, failure) {
			t.Errorf("%s: %v", name, err)
		}
		if err := a.Write.replace(at, 2, func(f io.Writer) error { _, err := io.WriteString(f, "more than 2"); return err }); !errors.Is(err, errTooLarge) {
			t.Errorf("%s, of a source that grew: %v", name, err)
		}
	}
	if left := leftovers(t, s.work); left != nil || s.space.used != before {
		t.Errorf("left %v, counted %+v, before %+v", left, s.space.used, before)
	}
	if entries, _ := os.ReadDir(s.work); len(entries) != 1 || content(t, s.work+"/old") != "old" {
		t.Errorf("now there is %v", entries)
	}
}

// The count of what is used follows every change, so that it needs no measuring.
func TestTheCountFollowsEveryChange(t *testing.T) {
	s := newStage(t, nil)
	a := s.open(t, everything)
	for _, c := range []struct {
		op, args string
		want     Quota
	}{
		{"writeText", `{"path":"a","text":"12345"}`, Quota{5, 1}},
		{"writeText", `{"path":"a","text":"123"}`, Quota{3, 1}},
		{"appendText", `{"path":"d/e/b","text":"1234"}`, Quota{7, 4}},
		{"copy", `{"from":"a","to":"c"}`, Quota{10, 5}},
		{"move", `{"from":"c","to":"d/e/b"}`, Quota{6, 4}},
		{"move", `{"from":"a","to":"x/a"}`, Quota{6, 5}},
		{"delete", `{"path":"x/a"}`, Quota{3, 4}},
		{"deleteDir", `{"path":"d"}`, Quota{0, 1}},
		{"deleteDir", `{"path":"x"}`, Quota{0, 0}},
	} {
		if text, err := call(a, c.op, c.args); err != nil {
			t.Fatal(text, err)
		}
		counted := s.space.used
		if err := s.space.measure(false); err != nil {
			t.Fatal(err)
		}
		if counted != c.want || s.space.used != c.want {
			t.Errorf("after %s %s: counted %+v, measured %+v, want %+v", c.op, c.args, counted, s.space.used, c.want)
		}
	}
}
