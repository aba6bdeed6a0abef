package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// logIn returns the growing file of the chain in dir.
func logIn(dir string) string { return filepath.Join(dir, "audit.jsonl") }

// recordOf returns the bytes of a line that appendLine was given.
func recordOf(l line) []byte {
	_, fields, _ := bytes.Cut(l.record, []byte(`","v":1,`))
	return append([]byte(`{`), fields...)
}

func record(n int) Record {
	return Record{
		Time: time.Unix(int64(n), 0).UTC(), ID: fmt.Sprintf("call%04d", n), Tool: "hash", ToolID: "t1",
		RiskLevel: "L0", Decision: "allow", Outcome: OK, Parameters: []byte(`{"text":"a"}`), Elapsed: Microseconds(time.Millisecond),
	}
}

func openLog(t *testing.T, dir string, opts Options) *Log {
	t.Helper()
	l, err := Open(logIn(dir), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func fill(t *testing.T, dir string, n int, opts Options) {
	t.Helper()
	l := openLog(t, dir, opts)
	for i := range n {
		if _, err := l.Append(record(i + 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func wholeChain(t *testing.T, dir string, records int) {
	t.Helper()
	r, err := Verify(logIn(dir))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Defects) != 0 || r.Records != uint64(records) {
		t.Fatalf("want %d records and no defect, got %+v", records, r)
	}
}

func TestAppendReadVerify(t *testing.T) {
	for _, opts := range []Options{{}, {SyncAlways: true}, {SegmentSize: 1000}} {
		dir := t.TempDir()
		fill(t, dir, 20, opts)
		fill(t, dir, 20, opts) // a second process goes on where the first ended
		wholeChain(t, dir, 40)
		var seqs []uint64
		err := Read(logIn(dir), Filter{}, func(e Entry) error { seqs = append(seqs, e.Seq); return nil })
		if err != nil || len(seqs) != 40 || !slices.IsSorted(seqs) || seqs[0] != 1 || seqs[39] != 40 {
			t.Errorf("%+v: read %v, %v", opts, seqs, err)
		}
	}
}

func TestSegmentsAreStartedAtTheSize(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 30, Options{SegmentSize: 2000})
	segments, err := segmentFiles(logIn(dir))
	if err != nil || len(segments) < 3 {
		t.Fatalf("%v, %v", segments, err)
	}
	for _, name := range segments {
		if info, _ := os.Stat(name); info.Size() < 2000 || info.Size() > 3000 {
			t.Errorf("%s has %d bytes", name, info.Size())
		}
	}
}

// tamper edits the lines of a chain of ten and returns the kinds of defects and
// the first place.
func tamper(t *testing.T, edit func([]string) []string) Report {
	t.Helper()
	dir := t.TempDir()
	fill(t, dir, 10, Options{})
	name := logIn(dir)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	lines = edit(lines[:len(lines)-1])
	if err := os.WriteFile(name, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Verify(logIn(dir))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTamperingIsFoundAndLocated(t *testing.T) {
	relinked := func(lines []string, from int) []string {
		// what somebody without the key can do best: chain everything anew
		prev := hash{}
		if from > 0 {
			l, _ := parseLine([]byte(strings.TrimSuffix(lines[from-1], "\n")))
			prev = l.hash
		}
		for i := from; i < len(lines); i++ {
			l, _ := parseLine([]byte(strings.TrimSuffix(lines[i], "\n")))
			text, sum := appendLine(nil, uint64(i+1), prev, recordOf(l))
			lines[i], prev = string(text), sum
		}
		return lines
	}
	for _, tc := range []struct {
		name string
		edit func([]string) []string
		kind DefectKind
		seq  uint64
	}{
		{"a value edited", func(l []string) []string { l[3] = strings.Replace(l[3], `"L0"`, `"L1"`, 1); return l }, Edited, 4},
		{"a space added", func(l []string) []string { l[3] = strings.Replace(l[3], `,"time"`, `, "time"`, 1); return l }, Edited, 4},
		{"a line removed", func(l []string) []string { return slices.Delete(l, 4, 5) }, Removed, 5},
		{"the first line removed", func(l []string) []string { return l[1:] }, Removed, 1},
		{"two lines swapped", func(l []string) []string { l[2], l[5] = l[5], l[2]; return l }, Reordered, 6},
		{"a line doubled", func(l []string) []string { return slices.Insert(l, 3, l[3]) }, Reordered, 4},
		{"a line of another chain", func(l []string) []string {
			text, _ := appendLine(nil, 4, hash{9}, []byte(`{"id":"x"}`))
			return slices.Insert(l, 3, string(text))
		}, Inserted, 4},
		{"a carriage return added", func(l []string) []string { l[5] = strings.Replace(l[5], "\n", "\r\n", 1); return l }, Damaged, 6},
		{"a block moved to the end", func(l []string) []string { return slices.Concat(l[:3], l[6:], l[3:6]) }, Reordered, 7},
		{"the last newline cut", func(l []string) []string { l[9] = strings.TrimSuffix(l[9], "\n"); return l }, Damaged, 10},
		{"rubbish", func(l []string) []string { l[6] = "rubbish\n"; return l }, Damaged, 7},
		{"the last line cut", func(l []string) []string { return l[:9] }, Cut, 10},
		{"everything cut", func([]string) []string { return nil }, Cut, 1},
		{"edited and chained anew", func(l []string) []string {
			l[3] = strings.Replace(l[3], `"L0"`, `"L1"`, 1)
			return relinked(l, 3)
		}, Edited, 10},
		{"one more, well chained", func(l []string) []string { return relinked(append(l, l[0]), 10) }, Appended, 11},
	} {
		r := tamper(t, tc.edit)
		if len(r.Defects) == 0 {
			t.Errorf("%s: not found", tc.name)
			continue
		}
		if d := r.Defects[0]; d.Kind != tc.kind || d.Seq != tc.seq {
			t.Errorf("%s: got %+v, want %s at %d", tc.name, d, tc.kind, tc.seq)
		}
	}
}

func TestHeadCannotBeRewrittenWithoutItsKey(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3, Options{})
	name := headName(logIn(dir))
	head, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(headMagic) + slotLength {
		if i == len(headMagic)-1 {
			continue // the version
		}
		forged := bytes.Clone(head)
		forged[i] ^= 1
		if err := os.WriteFile(name, forged, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Verify(logIn(dir))
		if err != nil || len(r.Defects) != 1 || r.Defects[0].Kind != Forged {
			t.Fatalf("bit %d: %+v, %v", i, r.Defects, err)
		}
		if l, err := Open(logIn(dir), Options{}); err == nil {
			l.Close()
			t.Fatalf("bit %d: a log with a forged head was opened", i)
		}
	}
	// The slots are not interchangeable: an old intent is no new head.
	if err := os.WriteFile(name, slices.Concat(head[:len(headMagic)], head[len(headMagic)+slotLength:], head[len(headMagic):len(headMagic)+slotLength]), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, _ := Verify(logIn(dir)); len(r.Defects) != 1 || r.Defects[0].Kind != Forged {
		t.Errorf("swapped slots: %+v", r.Defects)
	}
}

func TestALostKeyIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 3, Options{})
	if err := os.Remove(keyName(logIn(dir))); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(logIn(dir), Options{}); err == nil {
		t.Fatal("a new key was made for an old chain")
	}
	if r, _ := Verify(logIn(dir)); len(r.Defects) != 1 || r.Defects[0].Kind != Forged {
		t.Errorf("%+v", r.Defects)
	}
}

func TestOpenRefusesAChainThatDoesNotEndAtItsHead(t *testing.T) {
	for name, edit := range map[string]func([]byte) []byte{
		"cut":      func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] },
		"appended": func(b []byte) []byte { return append(b, b...) },
		"emptied":  func([]byte) []byte { return nil },
	} {
		dir := t.TempDir()
		fill(t, dir, 3, Options{})
		file := logIn(dir)
		text, _ := os.ReadFile(file)
		if err := os.WriteFile(file, edit(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if l, err := Open(logIn(dir), Options{}); err == nil {
			l.Close()
			t.Errorf("%s: opened", name)
		}
	}
}

func TestConcurrentAppends(t *testing.T) {
	dir := t.TempDir()
	a, b := openLog(t, dir, Options{SegmentSize: 9000}), openLog(t, dir, Options{SegmentSize: 9000})
	var wg sync.WaitGroup
	for g := range 8 {
		l := a
		if g%2 == 1 {
			l = b
		}
		wg.Go(func() {
			for i := range 25 {
				if _, err := l.Append(record(i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	wholeChain(t, dir, 200)
}

func TestClosedLogRefuses(t *testing.T) {
	l := openLog(t, t.TempDir(), Options{})
	l.Close()
	if _, err := l.Append(record(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if !errors.Is(l.Failed(), ErrClosed) {
		t.Error("a closed log can still be written, it says")
	}
}

func TestFilterAndLast(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{})
	for i := 1; i <= 10; i++ {
		r := record(i)
		if i%3 == 0 {
			r.Tool, r.Outcome, r.RiskLevel, r.Cause = "getWeather", Error, "L3", &Cause{Kind: "timeout"}
		}
		if _, err := l.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name   string
		filter Filter
		want   []uint64
	}{
		{"all", Filter{}, []uint64{8, 9, 10}},
		{"by tool name", Filter{Tool: "getWeather"}, []uint64{3, 6, 9}},
		{"by tool id", Filter{Tool: "t1", Outcome: OK}, []uint64{7, 8, 10}},
		{"by outcome", Filter{Outcome: Error}, []uint64{3, 6, 9}},
		{"by level", Filter{Level: "L3"}, []uint64{3, 6, 9}},
		{"by kind", Filter{Kind: "timeout"}, []uint64{3, 6, 9}},
		{"by id", Filter{ID: "call0004"}, []uint64{4}},
		{"by time", Filter{Since: time.Unix(2, 0), Until: time.Unix(5, 0)}, []uint64{2, 3, 4}},
		{"nothing", Filter{ID: "no"}, nil},
	} {
		entries, err := Last(logIn(dir), tc.filter, 3)
		if err != nil {
			t.Fatal(err)
		}
		var got []uint64
		for _, e := range entries {
			got = append(got, e.Seq)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
	for n, want := range map[int]int{-1: 0, 0: 0, math.MaxInt: 10} {
		if entries, err := Last(logIn(dir), Filter{}, n); err != nil || len(entries) != want {
			t.Errorf("the last %d: %d entries, %v", n, len(entries), err)
		}
	}
}

func FuzzParseLine(f *testing.F) {
	good, _ := appendLine(nil, 1, hash{}, []byte(`{"a":1}`))
	f.Add(good[:len(good)-1])
	f.Add([]byte(`{"seq":1}`))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := parseLine(text)
		if err != nil || !l.intact {
			return
		}
		if !json.Valid(text) {
			t.Errorf("a line that is no JSON was read: %q", text)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for _, opts := range []Options{{}, {SyncAlways: true}} {
		b.Run(fmt.Sprintf("SyncAlways=%v", opts.SyncAlways), func(b *testing.B) {
			l, err := Open(logIn(b.TempDir()), opts)
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			r := record(1)
			took := make([]time.Duration, 0, b.N)
			for b.Loop() {
				start := time.Now()
				if _, err := l.Append(r); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "p50-us")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1000, "p99-us")
		})
	}
}
