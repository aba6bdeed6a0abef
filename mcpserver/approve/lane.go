package approve

import (
	"context"
	"hash/maphash"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// lanes is how many changes this process makes at one time: each waits for the disks of a
// majority, and those of one principal wait for one another anyway.
const lanes = 32

// lane is taken for each change of some principals' trays, so that changes of one tray within
// this process never conflict.
type lane struct {
	changing chan struct{} // holds a value meanwhile
	// written is what this process wrote last, by key, for whoever holds changing.
	written map[string]written
}

// written is a tray that was acknowledged a moment ago: members of a cluster that do not
// lead may not have it yet, and what follows an answer comes right after it.
type written struct {
	entry store.Entry
	until time.Time
}

// writtenFor is how long such a tray is used instead of a read, and maxWritten how many of a
// lane are kept.
const writtenFor, maxWritten = time.Second, 8

func newLane() lane {
	return lane{changing: make(chan struct{}, 1), written: map[string]written{}}
}

var laneSeed = maphash.MakeSeed()

func (d *Desk) lane(key string) *lane { return &d.lanes[maphash.String(laneSeed, key)%lanes] }

// recent returns a tray as it was a moment ago.
func (l *lane) recent(ctx context.Context, trays *store.Bucket, key string) (store.Entry, error) {
	if w, ok := l.written[key]; ok && time.Now().Before(w.until) {
		return w.entry, nil
	}
	return trays.Get(ctx, key)
}

// wrote remembers a tray that was written.
func (l *lane) wrote(e store.Entry) {
	if len(l.written) >= maxWritten {
		clear(l.written)
	}
	l.written[e.Key] = written{e, time.Now().Add(writtenFor)}
}
