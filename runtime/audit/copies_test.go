package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// shelf is a mirror that can be out of reach, and lose answers.
type shelf struct {
	mu    sync.Mutex
	parts map[string][]Part
	signs map[string]Sign
	away  bool
	lossy int // so many further answers get lost
}

var errAway = errors.New("out of reach")

func newShelf() *shelf { return &shelf{parts: map[string][]Part{}, signs: map[string]Sign{}} }

func (m *shelf) Last(_ context.Context, writer string) ([]byte, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.parts[writer])
	if m.away {
		return nil, 0, errAway
	}
	if n == 0 {
		return nil, 0, nil
	}
	return m.parts[writer][n-1].Note, uint64(n), nil
}

func (m *shelf) Add(_ context.Context, writer string, p Part, after uint64) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.parts[writer])
	switch {
	case m.away:
		return 0, errAway
	case after != uint64(n):
		return 0, ErrMoved
	}
	m.parts[writer] = append(m.parts[writer], Part{bytes.Clone(p.Lines), p.Sign})
	if m.lossy > 0 {
		m.lossy--
		return 0, errAway
	}
	return uint64(n + 1), nil
}

func (m *shelf) Sign(_ context.Context, writer string, s Sign) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away {
		return errAway
	}
	m.signs[writer] = s
	return nil
}

func (m *shelf) setAway(away bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.away = away
}

// holds waits until a writer's copy ends with a number of records.
func (m *shelf) holds(t *testing.T, writer string, records int) {
	t.Helper()
	for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		m.mu.Lock()
		all := slices.Clone(m.parts[writer])
		m.mu.Unlock()
		if n := len(all); n > 0 {
			if says, err := all[n-1].open(writer); err == nil && says.count == uint64(records) {
				return
			}
		}
		if time.Since(started) > time.Minute {
			t.Fatalf("the copy never has %d records", records)
		}
	}
}

// check returns what is found of the only copy.
func (m *shelf) check(kept time.Duration, now time.Time, known ...Copy) []Copy {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := NewCopies(kept)
	for writer, parts := range m.parts {
		for _, p := range parts {
			c.Part(writer, p, now)
		}
	}
	for writer, s := range m.signs {
		c.Sign(writer, s, now, now)
	}
	for _, before := range known {
		c.Known(before)
	}
	return c.All()
}

func appendMany(t *testing.T, l *Log, n int) {
	t.Helper()
	for i := range n {
		if _, err := l.Append(various(i)); err != nil {
			t.Fatal(err)
		}
	}
}

// copiedChain is a chain of some parts, with one record or several in each.
func copiedChain(t *testing.T, to *shelf, sizes ...int) (writer string) {
	t.Helper()
	l := openLog(t, t.TempDir(), Options{Mirror: to, Name: "box\x1b[2J"})
	writer = WriterOf(l.signer.public)
	n := 0
	for _, size := range sizes {
		appendMany(t, l, size)
		n += size
		to.holds(t, writer, n)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return writer
}

// TestACopyIsTheRecord: every record is in the copy, in order and byte for byte, while the
// mirror is away, answers get lost, files are rotated and processes follow one another.
func TestACopyIsTheRecord(t *testing.T) {
	t.Parallel()
	to, dir := newShelf(), t.TempDir()
	n := 0
	writer := ""
	for round := range 3 {
		l := openLog(t, dir, Options{Mirror: to, SegmentSize: 3000})
		writer = WriterOf(l.signer.public)
		to.setAway(round == 1)
		appendMany(t, l, 30)
		if n += 30; round == 0 {
			to.mu.Lock()
			to.lossy = 1
			to.mu.Unlock()
		}
		to.setAway(false)
		to.holds(t, writer, n)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var copied, file bytes.Buffer
	for _, p := range to.parts[writer] {
		copied.Write(p.Lines)
	}
	names, err := chainFiles(logIn(dir))
	if err != nil || len(names) < 3 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file.Write(text)
	}
	if !bytes.Equal(copied.Bytes(), file.Bytes()) {
		t.Errorf("the copy has %d bytes, the files %d", copied.Len(), file.Len())
	}
	all := to.check(time.Hour, time.Now())
	if len(all) != 1 || len(all[0].Defects) != 0 || all[0].Records != 90 || all[0].From != 1 || all[0].State != Ended {
		t.Errorf("%+v", all)
	}
}

// TestWhatIsWrongWithACopy: each kind of damage has its name and its place, and only that
// one.
func TestWhatIsWrongWithACopy(t *testing.T) {
	t.Parallel()
	whole := newShelf()
	writer := copiedChain(t, whole, 3, 4, 2, 5) // records 1-3, 4-7, 8-9, 10-14
	other := newShelf()
	stranger := copiedChain(t, other, 3)
	before := whole.check(0, time.Now())[0]
	if before.Name != "box?[2J" || len(before.Defects) > 0 {
		t.Fatalf("%+v", before)
	}
	inside := func(n int, change func(lines [][]byte) [][]byte) func(*shelf) {
		return func(m *shelf) {
			lines := bytes.SplitAfter(m.parts[writer][n].Lines, []byte("\n"))
			m.parts[writer][n].Lines = bytes.Join(change(lines[:len(lines)-1]), nil)
		}
	}
	parts := func(change func(p []Part) []Part) func(*shelf) {
		return func(m *shelf) { m.parts[writer] = change(m.parts[writer]) }
	}
	for _, c := range []struct {
		what string
		do   func(m *shelf)
		kind DefectKind
		seq  uint64
	}{
		{"a byte of a record", inside(1, func(l [][]byte) [][]byte {
			l[2] = bytes.Replace(l[2], []byte(`"OK"`), []byte(`"NO"`), 1)
			return l
		}), Edited, 6},
		{"a record with its hash", inside(1, func(l [][]byte) [][]byte {
			p, _ := parseWhole(l[2])
			l[2], _ = appendLine(nil, p.seq, p.prev, []byte(`{"outcome":"OK"}`))
			return l
		}), Edited, 6},
		{"a part, with all hashes", inside(3, func(l [][]byte) [][]byte {
			first, _ := parseWhole(l[0])
			prev := first.prev
			for i := range l {
				l[i], prev = appendLine(nil, first.seq+uint64(i), prev, []byte(`{"outcome":"OK"}`))
			}
			return l
		}), Edited, 14},
		{"no JSON", inside(2, func(l [][]byte) [][]byte { l[1] = []byte("?\n"); return l }), Damaged, 9},
		{"a record less", inside(1, func(l [][]byte) [][]byte { return slices.Delete(l, 1, 2) }), Removed, 5},
		{"a part's last record less", inside(1, func(l [][]byte) [][]byte { return l[:3] }), Removed, 7},
		{"two records exchanged", inside(1, func(l [][]byte) [][]byte { l[1], l[2] = l[2], l[1]; return l }), Removed, 5},
		{"a part less", parts(func(p []Part) []Part { return slices.Delete(p, 1, 2) }), Removed, 4},
		{"the first part less", parts(func(p []Part) []Part { return p[1:] }), Removed, 3},
		{"the last part less", parts(func(p []Part) []Part { return p[:3] }), Cut, 10},
		{"two parts exchanged", parts(func(p []Part) []Part { p[1], p[2] = p[2], p[1]; return p }), Reordered, 4},
		{"a part twice", parts(func(p []Part) []Part { return append(p, p[1]) }), Reordered, 4},
		{"all parts", func(m *shelf) { delete(m.parts, writer) }, Cut, 1},
		{"the sign", func(m *shelf) { delete(m.signs, writer) }, Missing, 0},
		{"everything", func(m *shelf) { delete(m.parts, writer); delete(m.signs, writer) }, Missing, 0},
		{"a part of another writer", parts(func(p []Part) []Part { return append(p, other.parts[stranger][0]) }), Forged, 0},
		{"a sign of another writer", func(m *shelf) { m.signs[writer] = other.signs[stranger] }, Forged, 0},
		{"an earlier sign and an earlier end", func(m *shelf) {
			m.parts[writer] = m.parts[writer][:2]
			m.signs[writer] = m.parts[writer][1].Sign
		}, RolledBack, 8},
	} {
		m := &shelf{parts: map[string][]Part{}, signs: map[string]Sign{writer: whole.signs[writer]}}
		for _, p := range whole.parts[writer] {
			m.parts[writer] = append(m.parts[writer], Part{bytes.Clone(p.Lines), p.Sign})
		}
		c.do(m)
		all := m.check(time.Hour, time.Now(), before)
		if len(all) != 1 || len(all[0].Defects) == 0 || all[0].Defects[0].Kind != c.kind || all[0].Defects[0].Seq != c.seq {
			t.Errorf("%s: %+v, want %s at %d", c.what, all, c.kind, c.seq)
			continue
		}
		if d := all[0].Defects; len(d) > 1 && !slices.Contains([]DefectKind{RolledBack}, d[1].Kind) {
			t.Errorf("%s: more than one defect: %+v", c.what, d)
		}
	}
}

// TestPartsLeave: what a mirror drops by age is no defect, until it is.
func TestPartsLeave(t *testing.T) {
	t.Parallel()
	m := newShelf()
	writer := copiedChain(t, m, 3, 4, 2)
	before := m.check(0, time.Now())[0]
	m.parts[writer] = m.parts[writer][1:]
	for kept, defects := range map[time.Duration]int{time.Hour: 1, 0: 0} {
		if all := m.check(kept, time.Now(), before); len(all) != 1 || all[0].From != 4 || len(all[0].Defects) != defects {
			t.Errorf("kept for %s: %+v", kept, all)
		}
	}
	if all := m.check(time.Hour, time.Now().Add(2*time.Hour), before); len(all[0].Defects) != 0 {
		t.Errorf("%+v", all)
	}
	delete(m.parts, writer)
	if all := m.check(time.Hour, time.Now().Add(2*time.Hour)); len(all[0].Defects) != 0 || all[0].Records != 9 {
		t.Errorf("when all parts have left: %+v", all)
	}
}

// TestAWriterFallsSilent: whoever ends on purpose says so.
func TestAWriterFallsSilent(t *testing.T) {
	t.Parallel()
	m := newShelf()
	l := openLog(t, t.TempDir(), Options{Mirror: m})
	writer := WriterOf(l.signer.public)
	appendMany(t, l, 1)
	m.holds(t, writer, 1)
	state := func(later time.Duration) State {
		m.mu.Lock()
		defer m.mu.Unlock()
		c, given := NewCopies(0), time.Now()
		for _, p := range m.parts[writer] {
			c.Part(writer, p, given)
		}
		c.Sign(writer, m.signs[writer], given, given.Add(later))
		return c.All()[0].State
	}
	if got := fmt.Sprintf("%s %s", state(time.Second), state(silentAfter+time.Second)); got != "writing silent" {
		t.Error(got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := state(time.Hour); got != Ended {
		t.Error(got)
	}
}

// TestAForkShows: a record that was put back, and a key that two processes have. Both
// branches are in the copy.
func TestAForkShows(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"put back", "copied"} {
		m, dir, backup := newShelf(), t.TempDir(), t.TempDir()
		l := openLog(t, dir, Options{})
		appendMany(t, l, 2)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(filepath.Join(backup, "x"), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		forks := 0
		options := Options{Mirror: m, Forked: func(uint64) {
			mu.Lock()
			defer mu.Unlock()
			forks++
		}}
		l = openLog(t, dir, options)
		writer := WriterOf(l.signer.public)
		appendMany(t, l, 3)
		m.holds(t, writer, 5)
		if what == "put back" {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
		other := openLog(t, filepath.Join(backup, "x"), options)
		// It looks at the copy before it adds to it.
		for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			mu.Lock()
			n := forks
			mu.Unlock()
			if n > 0 {
				break
			}
			if time.Since(started) > time.Minute {
				t.Fatal("nobody notices")
			}
		}
		if _, err := other.Append(various(99)); err != nil {
			t.Fatal(err)
		}
		m.holds(t, writer, 3)
		if what == "copied" {
			appendMany(t, l, 1)
			m.holds(t, writer, 6)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
		all := m.check(time.Hour, time.Now())
		if len(all) != 1 || len(all[0].Defects) == 0 || all[0].Defects[0].Kind != Forked || all[0].Defects[0].Seq != 3 {
			t.Errorf("%s: %+v", what, all)
		}
		var lines strings.Builder
		for _, p := range m.parts[writer] {
			lines.Write(p.Lines)
		}
		if want := map[string]int{"put back": 6, "copied": 7}[what]; strings.Count(lines.String(), "\n") != want {
			t.Errorf("%s: %d records are copied, want %d", what, strings.Count(lines.String(), "\n"), want)
		}
	}
}

// TestArchivedBeforeItWasCopied is counted, and shows as missing.
func TestArchivedBeforeItWasCopied(t *testing.T) {
	t.Parallel()
	m, dir := newShelf(), t.TempDir()
	m.setAway(true)
	var mu sync.Mutex
	var lost uint64
	l := openLog(t, dir, Options{Mirror: m, SegmentSize: 1000, Retention: Retention{Size: 1}, Uncopied: func(n uint64) {
		mu.Lock()
		defer mu.Unlock()
		lost += n
	}})
	appendMany(t, l, 20)
	if _, err := l.Retire(); err != nil {
		t.Fatal(err)
	}
	m.setAway(false)
	writer := WriterOf(l.signer.public)
	m.holds(t, writer, 20)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all := m.check(time.Hour, time.Now())
	mu.Lock()
	defer mu.Unlock()
	if len(all) != 1 || lost == 0 || all[0].From != lost+1 || all[0].Records != 20 {
		t.Errorf("%d are lost: %+v", lost, all)
	}
}

// FuzzCopies: whatever is in the mirror, the check ends with an answer.
func FuzzCopies(f *testing.F) {
	f.Add([]byte(`{"seq":1,"prev":"00"}`), []byte("note"), "glovebox-audit+00000000+AA==")
	f.Fuzz(func(t *testing.T, lines, note []byte, key string) {
		c := NewCopies(time.Hour)
		p := Part{lines, Sign{note, key}}
		c.Part(WriterOf(key), p, time.Now())
		c.Sign(WriterOf(key), p.Sign, time.Now(), time.Now())
		for _, w := range c.All() {
			if len(w.Defects) == 0 {
				t.Errorf("nothing is wrong with %+v", w)
			}
		}
	})
}
