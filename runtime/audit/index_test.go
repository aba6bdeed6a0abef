package audit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// various returns a record whose fields differ from those of its neighbours.
func various(n int) Record {
	r := record(n)
	r.Time = time.Unix(int64(n), int64(n%7)*300).UTC()
	r.ID = fmt.Sprintf("CALL%04d", n/2) // asked and answered: two records
	r.Tool, r.ToolID = fmt.Sprintf("tööl<%d>", n%5), fmt.Sprintf("t%d", n%5)
	r.RiskLevel, r.Caller = fmt.Sprintf("L%d", n%6), []string{"ada", "eve", ""}[n%3]
	if n%3 == 0 {
		r.Outcome, r.Cause = Error, &Cause{Kind: []string{"timeout", "thrown"}[n%2], Message: "m"}
	}
	return r
}

var filters = []Filter{
	{}, {ID: "CALL0007"}, {ID: "none"}, {Seq: 13}, {Seq: 99}, {Tool: "tööl<3>"}, {Tool: "t3"}, {Outcome: Error}, {Outcome: OK, Level: "L2"}, {Kind: "timeout"},
	{Since: time.Unix(20, 601).UTC()}, {Until: time.Unix(20, 600).UTC()}, {Since: time.Unix(9, 0), Until: time.Unix(30, 900), Tool: "t1"},
	{Caller: "ada"}, {Caller: "nobody"}, {After: 12}, {Before: 9}, {After: 3, Before: 30, Caller: "eve"},
}

// searchers are kept from one comparison to the next, as in a server.
var searchers = map[string]*Searcher{}

// compareSearches compares the answers of searches with what a look at each record says.
func compareSearches(t *testing.T, what, path string) {
	t.Helper()
	keeping := searchers[path]
	if keeping == nil {
		keeping = NewSearcher(path)
		searchers[path] = keeping
	}
	var all []Entry
	if err := Read(path, Filter{}, func(e Entry) error { all = append(all, e); return nil }); err != nil {
		t.Fatal(err)
	}
	for _, f := range filters {
		var want, got []string
		for _, e := range all {
			if f.match(e) {
				want = append(want, e.Hash)
			}
		}
		if err := Read(path, f, func(e Entry) error { got = append(got, e.Hash); return nil }); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %+v: read %d of %d records, %v", what, f, len(got), len(want), err)
		}
		page, err := keeping.Search(t.Context(), f, 1000)
		slices.Reverse(page.Entries)
		if err != nil || page.Next != 0 || !slices.EqualFunc(page.Entries, want, func(e Entry, hash string) bool { return e.Hash == hash }) {
			t.Errorf("%s: %+v: a searcher that keeps finds %d of %d records, %v", what, f, len(page.Entries), len(want), err)
		}
		for _, n := range []int{0, 1, 3, 1000} {
			got = nil
			last, err := Last(path, f, n)
			for _, e := range last {
				got = append(got, e.Hash)
			}
			if tail := want[len(want)-min(n, len(want)):]; err != nil || !slices.Equal(got, tail) {
				t.Errorf("%s: %+v: the last %d are %d of %d records, %v", what, f, n, len(got), len(tail), err)
			}
		}
	}
}

// indexNow stores the index of every file of the chain, as a running log does.
func indexNow(t *testing.T, path string) (names []string) {
	t.Helper()
	chain, err := takeSnapshot(path)
	if err != nil {
		t.Fatal(err)
	}
	defer chain.close()
	for i, f := range chain.files {
		x, err := openIndex(path, f, chain.sizes[i])
		if err != nil {
			t.Fatal(err)
		}
		name := indexName(path, x.first)
		if err := x.save(name, f); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// Whatever index is there, of whatever state of the file: a search finds what reading
// everything finds.
func TestAnIndexChangesNoAnswer(t *testing.T) {
	dir := t.TempDir()
	path := logIn(dir)
	write := func(from, to int) {
		l := openLog(t, dir, Options{SegmentSize: 12_000})
		for n := from; n < to; n++ {
			if _, err := l.Append(various(n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write(1, 50)
	compareSearches(t, "none", path)
	names := indexNow(t, path)
	if len(names) < 2 {
		t.Fatalf("%d files", len(names))
	}
	compareSearches(t, "stored", path)
	write(50, 80)
	compareSearches(t, "of a shorter file", path)

	stored, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		spoiled := bytes.Clone(stored)
		spoiled[random.IntN(len(spoiled))] ^= 1 << random.IntN(8)
		if random.IntN(3) == 0 {
			spoiled = spoiled[:random.IntN(len(spoiled))]
		}
		if err := os.WriteFile(names[0], spoiled, 0o600); err != nil {
			t.Fatal(err)
		}
		var got int
		if err := Read(path, Filter{Tool: "t3"}, func(Entry) error { got++; return nil }); err != nil || got != 16 {
			t.Fatalf("a spoiled index: %d records, %v", got, err)
		}
	}
	other, err := os.ReadFile(names[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(names[0], other, 0o600); err != nil {
		t.Fatal(err)
	}
	compareSearches(t, "of another file", path)
	wholeChain(t, dir, 79)
}

// A forged index hides records from a search. It cannot make one read beyond the file,
// and verify does not look at it.
func TestAForgedIndexIsNoPartOfTheChain(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 10, Options{})
	path := logIn(dir)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, _ := f.Stat()
	for _, harm := range []func(*index){
		func(x *index) { x.rows = nil },
		func(x *index) { x.rows = row{seq: 1, size: 1 << 31}.append(nil) },
		func(x *index) { x.rows = row{seq: 1, offset: -1, size: 9}.append(nil) },
		func(x *index) { x.rows = row{seq: 1, offset: 1 << 40, size: 9}.append(nil) },
	} {
		x, err := openIndex(path, f, info.Size())
		if err != nil {
			t.Fatal(err)
		}
		harm(x)
		if err := x.save(indexName(path, 1), f); err != nil {
			t.Fatal(err)
		}
		if err := Read(path, Filter{Seq: 1}, func(Entry) error { t.Error("found"); return nil }); len(x.rows) > 0 && err == nil {
			t.Error("a row that points out of the file was believed")
		}
		wholeChain(t, dir, 10)
		if err := os.Remove(indexName(path, 1)); err != nil {
			t.Fatal(err)
		}
		n := 0
		if err := Read(path, Filter{Seq: 1}, func(Entry) error { n++; return nil }); err != nil || n != 1 {
			t.Errorf("after the advice was followed: %d records, %v", n, err)
		}
	}
}

// A running log leaves an index beside each segment that it closed.
func TestALogIndexesItsSegments(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{SegmentSize: savedFrom})
	big := various(1)
	big.Parameters = []byte(`"` + string(bytes.Repeat([]byte("x"), maxValue-10)) + `"`)
	for n := 0; n < 2*savedFrom; n += maxValue {
		if _, err := l.Append(big); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(indexName(logIn(dir), 1)); err != nil || info.Size() < 100*rowSize {
		t.Errorf("%v, %v", info, err)
	}
}

// BenchmarkSearch asks a record of a million calls, which it writes once, what an
// operator asks.
func BenchmarkSearch(b *testing.B) {
	const records = 1_000_000
	path := filepath.Join(b.TempDir(), "audit.jsonl")
	l, err := Open(path, Options{})
	if err != nil {
		b.Fatal(err)
	}
	r := Record{Category: "TEXT", ContentHash: fmt.Sprintf("%064d", 7), Caller: "token:6a2da20943931e98", Decision: "allow: L0 is at most what runs unasked (L3)"}
	for n := range records {
		v := various(n + 1)
		v.Category, v.ContentHash, v.Caller, v.Decision = r.Category, r.ContentHash, r.Caller, r.Decision
		v.ID = fmt.Sprintf("CALL%08d", n)
		if n == records/2 {
			v.Tool, v.Outcome = "rare", Refused
		}
		if _, err := l.Append(v); err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	for name, ask := range map[string]func() (int, error){
		"tail": func() (int, error) { e, err := Last(path, Filter{}, 20); return len(e), err },
		"tail of one tool": func() (int, error) {
			e, err := Last(path, Filter{Tool: "rare"}, 20)
			return len(e) * 20, err
		},
		"show": func() (n int, err error) {
			err = Find(path, fmt.Sprintf("CALL%08d", records/3), func(Entry) error { n += 20; return nil })
			return n, err
		},
		"query": func() (n int, err error) {
			err = Read(path, Filter{Outcome: Refused}, func(Entry) error { n += 20; return nil })
			return n, err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if n, err := ask(); err != nil || n != 20 {
					b.Fatal(n, err)
				}
			}
		})
	}
	b.Run("verify", func(b *testing.B) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for b.Loop() {
			if r, err := Verify(path); err != nil || r.Records != records || len(r.Defects) > 0 {
				b.Fatal(r, err)
			}
		}
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(int64(after.HeapSys)-int64(before.HeapSys))/(1<<20), "MiB-grown")
	})
}

// FuzzIndex: a stored index of any content lets a search read nothing outside the file.
func FuzzIndex(f *testing.F) {
	dir := f.TempDir()
	path := logIn(dir)
	l, err := Open(path, Options{})
	if err != nil {
		f.Fatal(err)
	}
	for n := range 5 {
		if _, err := l.Append(various(n + 1)); err != nil {
			f.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		f.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		f.Fatal(err)
	}
	whole, err := openIndex(path, file, info.Size())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole.rows)
	f.Add(row{seq: 2, offset: 7, size: 9}.append(nil))
	f.Fuzz(func(t *testing.T, rows []byte) {
		x := index{first: 1, covered: info.Size(), rows: rows[:len(rows)/rowSize*rowSize]}
		if err := x.save(indexName(path, 1), file); err != nil {
			t.Fatal(err)
		}
		_ = Read(path, Filter{Tool: "t3"}, func(e Entry) error { // an error says to delete it
			if e.ToolID != "t3" {
				t.Errorf("%+v", e)
			}
			return nil
		})
	})
}
