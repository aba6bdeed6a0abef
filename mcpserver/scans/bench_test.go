package scans

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/score"
)

// filled is a history of n scans of servers of the size that real ones have: 23 tools of
// 18 KB, no two the same. Every server was scanned twice.
func filled(b *testing.B, n int) *History {
	s, err := store.Open(b.Context(), b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	h, err := Open(b.Context(), s, Folder(b.TempDir()), time.Now)
	if err != nil {
		b.Fatal(err)
	}
	r := scored(large(0))
	for i := range n {
		if _, err := h.Add(b.Context(), large(i/2), r); err != nil {
			b.Fatal(err)
		}
	}
	return h
}

func large(n int) score.Observation {
	o := observation(fmt.Sprintf("https://s%d.example.com/", n), "")
	o.Tools.Items = nil
	for i := range 23 {
		o.Tools.Items = append(o.Tools.Items, json.RawMessage(fmt.Sprintf(`{"name": "list_items_%d_%d", "description": "Lists the items of a collection that match a filter, newest first. Returns at most one page; pass the cursor of the previous answer to get the next one. Deleted items are left out unless include_deleted is set. The caller needs the right to read collection %d of %d.", "inputSchema": {"type": "object", "properties": {"collection": {"type": "string", "description": "Identifier of the collection"}, "filter": {"type": "string", "description": "An expression such as size > 10"}, "cursor": {"type": "string", "description": "Where to go on"}, "include_deleted": {"type": "boolean", "description": "Whether deleted items are listed"}}, "required": ["collection"]}}`, n, i, i, n)))
	}
	return o
}

// The bar: 1,000 stored surfaces scored again in under two seconds, with reading and
// keeping them.
func BenchmarkRescore(b *testing.B) {
	h := filled(b, 1000)
	rows, err := h.Rows(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := h.RescoreAll(b.Context(), rows, score.Refined, nil, func(_, _ Row) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// What scan history, scan diff and each scan read of ten thousand records.
func BenchmarkTenThousand(b *testing.B) {
	h := filled(b, 10_000)
	rows, err := h.Rows(b.Context())
	if err != nil || len(rows) != 10_000 {
		b.Fatal(len(rows), err)
	}
	b.Run("history", func(b *testing.B) {
		for b.Loop() {
			if _, err := h.Rows(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			if _, err := h.Get(b.Context(), rows[5000].ID); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("background", func(b *testing.B) {
		o := large(7)
		for b.Loop() {
			if _, before, err := h.Background(b.Context(), &o); err != nil || before == nil {
				b.Fatal(before, err)
			}
		}
	})
}
