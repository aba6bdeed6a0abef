package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestSearchByText: a text is found wherever it stands in a record, whatever its case and
// its escapes, and never in the hashes around the record.
func TestSearchByText(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{SegmentSize: 4000})
	for n := 1; n <= 40; n++ {
		r := various(n)
		if n == 7 {
			r.Parameters = json.RawMessage(`{"path":"C:\\Users\\Ada","say":"a \"quoted\" word"}`)
		}
		if n == 31 {
			r.Cause = &Cause{Kind: "thrown", Message: "the Disk is Full"}
		}
		if _, err := l.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	path := logIn(dir)
	var hash string
	if err := Read(path, Filter{Seq: 5}, func(e Entry) error { hash = e.Hash; return nil }); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"disk is FULL": "31", `c:\users\ada`: "7", `"quoted"`: "7", `\"quoted\"`: "7", "quoted word": "", hash: "", hash[:6]: "", "CALL0003": "6 7", "call0003": "6 7",
	} {
		var got []string
		err := Read(path, Filter{Text: text}, func(e Entry) error { got = append(got, fmt.Sprint(e.Seq)); return nil })
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q is in %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestPagesOfASearch: pages follow each other without a gap, also when each has only time for
// one look, and the last one says so.
func TestPagesOfASearch(t *testing.T) {
	dir := t.TempDir()
	l := openLog(t, dir, Options{SegmentSize: 6000})
	for n := 1; n <= 50; n++ {
		if _, err := l.Append(various(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s := NewSearcher(logIn(dir))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, filter := range []Filter{{}, {Caller: "ada"}, {Tool: "t1", Text: "call"}} {
		want, err := Last(logIn(dir), filter, 1000)
		if err != nil || len(want) < 5 {
			t.Fatal(len(want), err)
		}
		var got []Entry
		for pages := 0; ; pages++ {
			page, err := s.Search(t.Context(), filter, 3)
			if err != nil || page.Late || pages > len(want) {
				t.Fatal(page, err)
			}
			got = append(got, page.Entries...)
			if page.Next == 0 {
				break
			}
			late, err := s.Search(over, filter, 3)
			if err != nil || !late.Late || late.Next == 0 || len(late.Entries) != 0 {
				t.Fatalf("without time it is %+v, %v", late, err)
			}
			filter.Before = page.Next
		}
		if len(got) != len(want) {
			t.Fatalf("%d records in pages, want %d", len(got), len(want))
		}
		for i := range got {
			if got[i].Hash != want[len(want)-1-i].Hash {
				t.Errorf("%d is record %d, want %d", i, got[i].Seq, want[len(want)-1-i].Seq)
			}
		}
	}
}
