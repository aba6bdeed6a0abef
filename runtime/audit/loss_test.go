package audit

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verified returns what Verify finds, which is all that a person has to go by.
func verified(t *testing.T, path string) []Defect {
	t.Helper()
	r, err := Verify(path)
	if err != nil {
		t.Fatal(err)
	}
	return r.Defects
}

func TestTheRecordTakenAwayIsFound(t *testing.T) {
	for _, tc := range []struct {
		name string
		take func(path string) []string
		want DefectKind
	}{
		{"record and head", func(p string) []string { return []string{p, headName(p)} }, Missing},
		{"record", func(p string) []string { return []string{p} }, Cut},
		{"head", func(p string) []string { return []string{headName(p)} }, Forged},
		{"head and key", func(p string) []string { return []string{headName(p), keyName(p)} }, Forged},
		{"everything", func(p string) []string { return []string{p, headName(p), keyName(p), lockName(p)} }, Missing},
		{"the folder", func(p string) []string { return []string{filepath.Dir(p)} }, Missing},
	} {
		dir := filepath.Join(t.TempDir(), "audit")
		fill(t, dir, 4, Options{})
		path := logIn(dir)
		for _, name := range tc.take(path) {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
		if d := verified(t, path); len(d) != 1 || d[0].Kind != tc.want {
			t.Errorf("%s: %+v, want %s", tc.name, d, tc.want)
		}
		if tc.name == "everything" || tc.name == "the folder" {
			continue // like a new machine: only an anchor elsewhere knows better
		}
		if l, err := Open(path, Options{}); err == nil {
			l.Close()
			t.Errorf("%s: a new chain was begun over what is left", tc.name)
		}
	}
}

// A process killed while it makes the head and key leaves nothing that looks like a
// deletion.
func TestAnInterruptedCreationRecovers(t *testing.T) {
	dir := t.TempDir()
	openLog(t, dir, Options{}).Close()
	wholeChain(t, dir, 0)
	if err := os.Remove(keyName(logIn(dir))); err != nil { // the key is made last
		t.Fatal(err)
	}
	fill(t, dir, 2, Options{})
	wholeChain(t, dir, 2)
}

func TestANewerFormatIsRefused(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 2, Options{})
	path := logIn(dir)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second := strings.SplitAfter(string(text), "\n")[1]
	l, err := parseWhole([]byte(second))
	if err != nil {
		t.Fatal(err)
	}
	newer, _ := appendLine(nil, 3, l.hash, []byte(`{"id":"x","colour":"red"}`))
	unsigned := strings.Replace(string(newer[:len(newer)-tailLength-1]), `"v":1`, `"v":2`, 1)
	line := signLine(unsigned)
	if err := os.WriteFile(path, append(text, line...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(path); !errors.Is(err, errNewer) {
		t.Errorf("verify: %v", err)
	}
	if err := Read(path, Filter{}, func(Entry) error { return nil }); !errors.Is(err, errNewer) {
		t.Errorf("read: %v", err)
	}

	head, err := os.ReadFile(headName(path))
	if err != nil {
		t.Fatal(err)
	}
	head[len(headMagic)-1]++
	if err := os.WriteFile(headName(path), head, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); !errors.Is(err, errNewer) {
		t.Errorf("open: %v", err)
	}
}

// What another process wrote is read back before it is taken for the end of the
// chain: its place is not enough.
func TestTheLineThatCatchesUpIsChecked(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 2, Options{})
	before := readChain(t, dir)
	fill(t, dir, 1, Options{})
	after := readChain(t, dir)
	killed := files{lines: after.lines, head: append(before.head[:len(headMagic)+slotLength:len(headMagic)+slotLength], after.head[len(headMagic)+slotLength:]...)}
	for i := len(before.lines); i < len(after.lines); i++ {
		forged := files{lines: append([]byte(nil), after.lines...), head: killed.head}
		forged.lines[i] ^= 1
		forged.write(t, dir)
		if l, err := Open(logIn(dir), Options{}); err == nil {
			l.Close()
			t.Fatalf("byte %d of the line was changed, and it was taken", i-len(before.lines))
		}
	}
	killed.write(t, dir)
	openLog(t, dir, Options{}).Close()
	wholeChain(t, dir, 3)
}

func signLine(unsigned string) string {
	sum := hash(sha256.Sum256([]byte(unsigned)))
	return unsigned + hashField + sum.String() + "\"}\n"
}
