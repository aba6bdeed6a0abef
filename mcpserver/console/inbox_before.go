package console

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/runtime/audit"
)

const (
	// compareTime bounds how long a page looks for calls to compare with; what is not
	// found by then is looked for in the background, and the page is fetched again.
	compareTime = 10 * time.Millisecond
	// approvedFor is how long the last approved call of a tool is taken for the last.
	approvedFor = 10 * time.Second
	// maxApproved bounds the tools whose last approved call is kept in memory.
	maxApproved = 500
	// searched is how many of the newest calls of a tool are looked at.
	searched = 50
)

// lastApproved finds the arguments of the last call of a tool that a person approved.
type lastApproved struct {
	mu      sync.Mutex
	known   map[string]approvedCall
	wanted  map[string]bool // to be looked for in the background
	looking bool
}

type approvedCall struct {
	arguments json.RawMessage
	at, until time.Time
	through   uint64 // the number of the last record that was looked at
}

// find returns what is known; with now it looks first if that is too old.
func (l *lastApproved) find(c *Console, tool string, now bool) (arguments json.RawMessage, at time.Time) {
	l.mu.Lock()
	k, known := l.known[tool]
	fresh := known && c.options.Now().Before(k.until)
	if !fresh && !now {
		if l.wanted == nil {
			l.wanted = map[string]bool{}
		}
		if l.wanted[tool] = true; !l.looking {
			l.looking = true
			go l.lookLater(c)
		}
	}
	l.mu.Unlock()
	if !fresh && now {
		k = l.look(c, tool)
	}
	return k.arguments, k.at
}

// look searches the records that were not searched before.
func (l *lastApproved) look(c *Console, tool string) approvedCall {
	l.mu.Lock()
	k := l.known[tool]
	l.mu.Unlock()
	newest, err := c.record.Search(context.Background(), audit.Filter{After: k.through}, 1)
	if err == nil && len(newest.Entries) > 0 {
		var calls audit.Page
		calls, err = c.record.Search(context.Background(), audit.Filter{Tool: tool, Outcome: audit.OK, After: k.through}, searched)
		for _, e := range calls.Entries {
			if e.Approval != nil && e.Approval.Outcome == "approved" {
				k.arguments, k.at = e.Parameters, e.Time
				break
			}
		}
		if err == nil {
			k.through = newest.Entries[0].Seq
		}
	}
	k.until = c.options.Now().Add(approvedFor)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil || len(l.known) >= maxApproved {
		l.known = map[string]approvedCall{}
	}
	l.known[tool] = k
	return k
}

// lookLater looks for what pages had no time for, and has them fetched again.
func (l *lastApproved) lookLater(c *Console) {
	for c.working.Err() == nil {
		l.mu.Lock()
		wanted := slices.Collect(maps.Keys(l.wanted))
		clear(l.wanted)
		l.looking = len(wanted) > 0
		l.mu.Unlock()
		if len(wanted) == 0 {
			return
		}
		for _, tool := range wanted {
			l.look(c, tool)
		}
		c.hub.Tell(topicInbox)
	}
}
