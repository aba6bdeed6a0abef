package audit

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// Whoever has the whole folder can put an earlier state of all of it back. Only an
// anchor elsewhere knows better.
func TestARollbackIsFoundByItsAnchor(t *testing.T) {
	for _, what := range []string{"saved", "new chain", "gone"} {
		dir, anchor := filepath.Join(t.TempDir(), "audit"), filepath.Join(t.TempDir(), "anchor")
		fill(t, dir, 3, Options{Anchor: anchor})
		path := logIn(dir)
		saved := readChain(t, dir)
		fill(t, dir, 3, Options{Anchor: anchor})
		if r, err := Verify(path, anchor); err != nil || len(r.Defects) != 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		want := RolledBack
		switch what {
		case "saved":
			saved.write(t, dir)
		case "new chain":
			os.RemoveAll(dir)
			fill(t, dir, 9, Options{})
			want = Forged
		case "gone":
			os.RemoveAll(dir)
			want = Missing
		}
		if what != "gone" {
			wholeChain(t, dir, map[string]int{"saved": 3, "new chain": 9}[what]) // nothing in the folder tells
		}
		r, err := Verify(path, anchor)
		if err != nil || len(r.Defects) == 0 || r.Defects[0].Kind != want {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
		if l, err := Open(path, Options{Anchor: anchor}); err == nil {
			l.Close()
			t.Errorf("%s: the chain was opened", what)
		}
	}
}

// A rewritten chain of the same length has the numbers of the anchor and not its hash.
func TestARewrittenChainDoesNotPassItsAnchor(t *testing.T) {
	dir, anchor := t.TempDir(), filepath.Join(t.TempDir(), "anchor")
	fill(t, dir, 1, Options{})
	saved := readChain(t, dir)
	fill(t, dir, 2, Options{Anchor: anchor})
	saved.write(t, dir)
	l := openLog(t, dir, Options{})
	for range 5 {
		r := record(7)
		r.Tool = "other"
		if _, err := l.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	wholeChain(t, dir, 6)
	if r, err := Verify(logIn(dir), anchor); err != nil || len(r.Defects) != 1 || r.Defects[0].Kind != RolledBack || r.Defects[0].Seq != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestTheAnchorFollowsWithinItsBound(t *testing.T) {
	dir, anchor := t.TempDir(), filepath.Join(t.TempDir(), "deep", "anchor")
	synctest.Test(t, func(t *testing.T) {
		l, err := Open(logIn(dir), Options{Anchor: anchor})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for n := uint64(1); n <= 3; n++ {
			if _, err := l.Append(record(int(n))); err != nil {
				t.Fatal(err)
			}
			time.Sleep(anchorEvery)
			synctest.Wait()
			if at, err := l.anchored(); err != nil || at.count != n {
				t.Errorf("after record %d the anchor knows %d, %v", n, at.count, err)
			}
		}
	})
}

// Others read checkpoints with the library that transparency logs use.
func TestACheckpointIsASignedNote(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 4, Options{})
	text, key, err := Checkpoint(logIn(dir))
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(key)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := note.Open(text, note.VerifierList(verifier))
	if err != nil || !strings.HasPrefix(signed.Text, checkpointOrigin+"\n4\n") {
		t.Errorf("%+v, %v", signed, err)
	}
	public, _ := note.NewEd25519VerifierKey(checkpointOrigin, make(ed25519.PublicKey, ed25519.PublicKeySize))
	if public == key {
		t.Error("the key is nobody's")
	}
}

func FuzzCheckpoint(f *testing.F) {
	s, err := newSigner(make([]byte, keyLength))
	if err != nil {
		f.Fatal(err)
	}
	good, err := s.checkpoint(position{count: 7, last: hash{1}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("glovebox-audit\n7\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := s.parse(text); err == nil && p != (position{count: 7, last: hash{1}}) {
			t.Errorf("a checkpoint that nobody signed was read: %q", text)
		}
	})
}

// memory keeps checkpoints, or fails.
type memory struct {
	mu   sync.Mutex
	kept [][]byte
	down bool
}

func (m *memory) Name() string { return "in memory" }

func (m *memory) Kept(context.Context) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.kept) == 0 {
		return nil, nil
	}
	return m.kept[len(m.kept)-1], nil
}

func (m *memory) Keep(_ context.Context, checkpoint []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down {
		return errors.New("away")
	}
	m.kept = append(m.kept, checkpoint)
	return nil
}

func (m *memory) set(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// A keeper that is away delays no record, is reported once, and has the end of the
// chain when it is back.
func TestAKeeperThatIsAwayCatchesUp(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		var said []bool
		l, err := Open(logIn(dir), Options{Keepers: []Keeper{m}, Kept: func(err error) { said = append(said, err == nil) }})
		if err != nil {
			t.Fatal(err)
		}
		knows := func(want uint64) {
			t.Helper()
			time.Sleep(2 * anchorEvery)
			synctest.Wait()
			text, _ := m.Kept(t.Context())
			if at, err := l.signer.parse(text); err != nil || at.count != want {
				t.Errorf("it knows %d records, want %d, %v", at.count, want, err)
			}
		}
		add := func() {
			t.Helper()
			if _, err := l.Append(record(1)); err != nil {
				t.Fatal(err)
			}
		}
		add()
		knows(1)
		m.set(true)
		for range 100 {
			add()
		}
		time.Sleep(time.Minute)
		if err := l.Failed(); err != nil {
			t.Errorf("the log failed with its keeper: %v", err)
		}
		knows(1)
		m.set(false)
		knows(101)
		if !slices.Equal(said, []bool{false, true}) {
			t.Errorf("it was said %v", said)
		}
		add()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if text, _ := m.Kept(t.Context()); !bytes.Contains(text, []byte("\n102\n")) {
			t.Errorf("after the end: %s", text)
		}
	})
}
