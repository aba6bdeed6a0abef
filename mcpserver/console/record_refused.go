package console

import (
	"context"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/runtime/audit"
)

// refusals keeps the last refused calls, so that only what was added is searched for them.
type refusals struct {
	mu      sync.Mutex
	through uint64 // the number of the last record that was looked at
	last    []audit.Entry
	newest  *audit.Entry // of all records
}

// recordView is what the page Now shows of the record.
type recordView struct {
	Refused []audit.Entry // of the last day, newest first
	Newest  *audit.Entry
}

// now returns the refused calls of the last day and the newest record.
func (k *refusals) now(c *Console) (recordView, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	newest, err := c.record.Search(context.Background(), audit.Filter{After: k.through}, 1)
	if err != nil {
		return recordView{}, err
	}
	if len(newest.Entries) > 0 {
		e := newest.Entries[0]
		since := c.options.Now().Add(-refusalsWithin)
		found, err := c.record.Search(context.Background(), audit.Filter{Outcome: audit.Refused, Since: since, After: k.through, Before: e.Seq + 1}, maxRefusals)
		if err != nil {
			return recordView{}, err
		}
		k.last = append(found.Entries, k.last...)
		k.last = k.last[:min(len(k.last), maxRefusals)]
		k.newest, k.through = &e, e.Seq
	}
	view := recordView{Newest: k.newest}
	for _, e := range k.last {
		if c.options.Now().Sub(e.Time) < refusalsWithin {
			view.Refused = append(view.Refused, e)
		}
	}
	return view, nil
}

// refusalsWithin is how long a refused call is shown.
const refusalsWithin = 24 * time.Hour
