package audit

import (
	"errors"
	"os"
	"slices"
	"testing"
)

// Every moment at which a process can be killed inside an append or a rotation,
// rebuilt from a chain that was written whole.
func TestEveryInterruptedAppendRecovers(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 2, Options{})
	before := readChain(t, dir)
	fill(t, dir, 1, Options{})
	after := readChain(t, dir)

	for cut := len(before.lines); cut <= len(after.lines); cut++ {
		state := files{lines: after.lines[:cut], head: slices.Concat(before.head[:len(headMagic)+slotLength], after.head[len(headMagic)+slotLength:])}
		want := 2
		if cut == len(after.lines) {
			want = 3
		}
		state.write(t, dir)
		l, err := Open(logIn(dir), Options{})
		if err != nil {
			t.Fatalf("killed after %d bytes of the line: %v", cut-len(before.lines), err)
		}
		if seq, err := l.Append(record(9)); err != nil || seq != uint64(want+1) {
			t.Fatalf("after %d bytes: record %d, %v", cut, seq, err)
		}
		l.Close()
		wholeChain(t, dir, want+1)
	}
}

type files struct{ lines, head []byte }

func readChain(t *testing.T, dir string) files {
	t.Helper()
	lines, err := os.ReadFile(logIn(dir))
	head, err2 := os.ReadFile(headName(logIn(dir)))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return files{lines, head}
}

func (f files) write(t *testing.T, dir string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(logIn(dir), f.lines, 0o600), os.WriteFile(headName(logIn(dir)), f.head, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestAnInterruptedRotationRecovers(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 5, Options{})
	l := openLog(t, dir, Options{})
	// what rotate does before it is killed
	if err := l.head.write(intended, position{count: l.at.count, last: l.at.last}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(logIn(dir), segmentName(logIn(dir), 1)); err != nil {
		t.Fatal(err)
	}
	fill(t, dir, 1, Options{})
	wholeChain(t, dir, 6)
}
