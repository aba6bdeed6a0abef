package pages_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/internal/pages"
	"github.com/glovebox-run/glovebox/mcpserver/relay"
)

// named returns entries with a definition of size bytes each.
func named(size int, keys ...string) []relay.Entry {
	entries := make([]relay.Entry, len(keys))
	for i, key := range keys {
		name, _ := json.Marshal(key)
		text := fmt.Sprintf(`{"name":%s,"x":"`, name)
		text += strings.Repeat("x", max(0, size-len(text)-2)) + `"}`
		entries[i] = relay.Entry{Key: key, Listed: json.RawMessage(text)}
	}
	return entries
}

type page struct {
	NextCursor string            `json:"nextCursor"`
	Tools      []json.RawMessage `json:"tools"`
}

func read(t testing.TB, l *pages.List, cursor string) page {
	t.Helper()
	text, err := l.Page(cursor)
	if err != nil {
		t.Fatal(err)
	}
	var p page
	if err := json.Unmarshal(slices.Concat([]byte("{"), text, []byte("}")), &p); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if p.Tools == nil {
		t.Fatalf("%s: no list", text)
	}
	return p
}

// walk reads all pages.
func walk(t testing.TB, l *pages.List) (all []json.RawMessage, sizes []int) {
	t.Helper()
	for cursor := ""; ; {
		p := read(t, l, cursor)
		all, sizes = append(all, p.Tools...), append(sizes, len(p.Tools))
		if cursor = p.NextCursor; cursor == "" {
			return all, sizes
		}
	}
}

func TestEveryEntryIsOnOnePageInOrder(t *testing.T) {
	for _, row := range []struct{ n, size, first int }{
		{0, 10, 0}, {1, 10, 1}, {pages.MaxEntries, 60, pages.MaxEntries}, {pages.MaxEntries + 1, 60, pages.MaxEntries},
		{2500, 60, pages.MaxEntries}, {10, pages.MaxBytes / 3, 2}, {4, 2 * pages.MaxBytes, 1},
	} {
		var keys []string
		for i := range row.n {
			keys = append(keys, fmt.Sprintf("tool-%05d", i))
		}
		want := named(row.size, keys...)
		shuffled := slices.Clone(want)
		rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		l := pages.New("tools", shuffled)
		all, sizes := walk(t, l)
		if sizes[0] != row.first || len(all) != row.n || l.Len() != row.n {
			t.Fatalf("%d entries of %d bytes: pages of %v", row.n, row.size, sizes)
		}
		for i := range all {
			if !bytes.Equal(all[i], want[i].Listed) {
				t.Fatalf("entry %d is %.40s, want %.40s", i, all[i], want[i].Listed)
			}
		}
	}
}

// TestACursorSurvivesAnotherList: entries come and go between two pages; what was
// there all the time is seen once.
func TestACursorSurvivesAnotherList(t *testing.T) {
	var before, after []string
	for i := range 3000 {
		key := fmt.Sprintf("tool-%05d", i)
		before = append(before, key)
		if i%7 != 0 { // also the one that the cursor names, at 999 and 1000
			after = append(after, key)
		}
		if i%5 == 0 {
			after = append(after, key+"-new")
		}
	}
	after = slices.DeleteFunc(after, func(key string) bool { return key == "tool-00999" })
	first := read(t, pages.New("tools", named(0, before...)), "")
	l, cursor := pages.New("tools", named(0, after...)), first.NextCursor
	seen := map[string]int{}
	for _, tool := range first.Tools {
		seen[string(tool)]++
	}
	for cursor != "" {
		p := read(t, l, cursor)
		for _, tool := range p.Tools {
			seen[string(tool)]++
		}
		cursor = p.NextCursor
	}
	for _, e := range named(0, before...) {
		if stays := slices.Contains(after, e.Key); seen[string(e.Listed)] > 1 || stays && seen[string(e.Listed)] != 1 {
			t.Errorf("%s was seen %d times", e.Key, seen[string(e.Listed)])
		}
	}
}

func TestOneKeyIsListedOnce(t *testing.T) {
	entries := named(0, "b", "a", "b")
	entries[2].Listed = json.RawMessage(`{"name":"b","second":true}`)
	l := pages.New("tools", entries)
	if got, err := l.Page(""); err != nil || string(got) != `"tools":[`+string(entries[1].Listed)+","+string(entries[0].Listed)+"]" {
		t.Errorf("%s, %v", got, err)
	}
	if !bytes.Equal(l.Entry("b"), entries[0].Listed) || l.Entry("c") != nil || l.Entry("") != nil {
		t.Error(l.Entry("b"))
	}
}

func FuzzCursor(f *testing.F) {
	l := pages.New("tools", named(0, "a", "b", "c"))
	f.Add("nonsense")
	f.Add("YWZ0ZXI6YQ") // after:a
	f.Add("=")
	f.Fuzz(func(t *testing.T, cursor string) {
		if _, err := l.Page(cursor); err != nil && !errors.Is(err, pages.ErrCursor) {
			t.Error(err)
		}
	})
}

// BenchmarkFirstPage is the first page of 200 servers with 50 tools each, of 600 bytes:
// after a change, encoded and decoded once; and as it is kept.
func BenchmarkFirstPage(b *testing.B) {
	var keys []string
	for i := range 200 * 50 {
		keys = append(keys, fmt.Sprintf("server-%03d.tool-%02d", i/50, i%50))
	}
	entries := named(600, keys...)
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			read(b, pages.New("tools", entries), "")
		}
	})
	l := pages.New("tools", entries)
	b.Run("cached", func(b *testing.B) {
		for b.Loop() {
			if _, err := l.Page(""); err != nil {
				b.Fatal(err)
			}
		}
	})
}
