package approve

import (
	"context"
	"fmt"
	"time"
)

// known is what was read when all questions were listed last. Whoever lists them again,
// which some do after every change, reads what was changed since then, not all that is open.
type known struct {
	trays    map[string]knownTray
	revision uint64 // the newest
	bytes    int    // as they are stored
	until    time.Time
}

type knownTray struct {
	*tray
	changed time.Time
	bytes   int
}

const (
	// knownFor is how long that goes on: a store that was put back from a copy has lower
	// revisions, which do not show.
	knownFor = time.Minute
	// maxKnown bounds what stays in memory, in bytes as stored.
	maxKnown = 32 << 20
)

// each calls f with the questions and rules of every principal, which f must not change.
func (d *Desk) each(ctx context.Context, f func(*tray)) error {
	select {
	case d.reading <- struct{}{}:
		defer func() { <-d.reading }()
	case <-ctx.Done():
		return fmt.Errorf("the approvals are busy: %w", context.Cause(ctx))
	}
	k := &d.known
	now := time.Now()
	if k.trays == nil || now.After(k.until) {
		*k = known{trays: map[string]knownTray{}, until: now.Add(knownFor)}
	}
	changed, err := d.trays.ListAfter(ctx, allTrays, k.revision)
	if err != nil {
		return err
	}
	before := k.revision
	for _, e := range changed {
		if e.Revision <= before { // of a member that is behind
			continue
		}
		t, err := d.read(e)
		if err != nil {
			k.trays = nil // what was not taken in would be passed over
			return err
		}
		k.bytes += len(e.Value) - k.trays[e.Key].bytes
		k.trays[e.Key] = knownTray{t, e.Time, len(e.Value)}
		k.revision = max(k.revision, e.Revision)
	}
	for key, t := range k.trays {
		if now.Sub(t.changed) > traysKept || len(t.Questions)+len(t.Rules) == 0 {
			k.bytes -= t.bytes
			delete(k.trays, key)
			continue
		}
		t.expire(d.now())
		f(t.tray)
	}
	if k.bytes > maxKnown {
		k.trays = nil
	}
	return nil
}
