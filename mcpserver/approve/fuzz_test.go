package approve

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// FuzzStored: others may write to the store. What is there is refused or read without
// harm, no answer in it outlives its question, and it is read again as it was kept.
func FuzzStored(f *testing.F) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	d := &Desk{now: func() time.Time { return now }}
	good, err := json.Marshal(tray{Version: trayVersion, Questions: []question{{
		Entry: Entry{ID: "a", State: Approved, Expires: now.Add(time.Minute)}, Digest: []byte("d"), Inbox: true,
	}, {Entry: Entry{ID: "b", State: Open, Expires: now}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"version":2,"questions":[]}`))
	f.Add([]byte(`{"version":-1,"questions":[null,{}],"more":1}`))
	f.Add([]byte("null"))
	f.Add([]byte("1 tray.ab"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _ = trayAt(text)
		kept, err := d.read(store.Entry{Key: "k", Value: text})
		if err != nil {
			return
		}
		for _, q := range kept.Questions {
			if (q.State == Open || q.State == Approved) && !now.Before(q.Expires) {
				t.Errorf("%q: it counts after its end", text)
			}
		}
		kept.prune(now)
		kept.find("a")
		kept.about([]byte("d"))
		kept.open()
		again, err := json.Marshal(kept)
		if err != nil {
			return // a time that JSON does not know; nothing is kept
		}
		read, err := d.read(store.Entry{Key: "k", Value: again})
		if err != nil {
			t.Fatalf("%q was written and is refused: %v", again, err)
		}
		second, err := json.Marshal(read)
		if diff := cmp.Diff(string(again), string(second)); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	})
}
