package audit

import (
	"context"
	"fmt"
	"time"
)

// Keeper keeps the newest checkpoint of a chain elsewhere, such as in a cluster. Unlike
// the file of [Options].Anchor it may be out of reach for a while: records are written
// meanwhile, and the checkpoint follows.
type Keeper interface {
	// Name says where it keeps, for the operator.
	Name() string
	// Kept returns the checkpoint that was kept last; empty if there is none.
	Kept(ctx context.Context) ([]byte, error)
	Keep(ctx context.Context, checkpoint []byte) error
}

const (
	// keepTime bounds one call of a keeper, longer than a cluster takes to elect a leader.
	keepTime = 10 * time.Second
	// lastKeepTime bounds the last one, when a log is closed.
	lastKeepTime = 2 * time.Second
)

// openKeepers refuses a chain that has lost what a keeper knows. It runs under no lock:
// a keeper may take seconds.
func (l *Log) openKeepers() error {
	for _, k := range l.opts.Keepers {
		ctx, cancel := context.WithTimeout(context.Background(), keepTime)
		text, err := k.Kept(ctx)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: %w", k.Name(), err)
		}
		if len(text) == 0 {
			continue
		}
		if err := l.knows(k.Name(), text); err != nil {
			return err
		}
	}
	return nil
}

// knows compares the chain with a checkpoint that was kept.
func (l *Log) knows(where string, text []byte) error {
	known, err := l.signer.parse(text)
	if err != nil {
		return fmt.Errorf("the anchor %s is not of this chain: its record was taken away or exchanged; restore it, or begin a new chain under another audit.name: %w", where, err)
	}
	at := l.position()
	if known.count > at.count || known.count == at.count && known.last != at.last {
		return fmt.Errorf("the anchor %s knows %d records, but the chain has %d: it was rolled back; restore it, or begin a new chain under another audit.name", where, known.count, at.count)
	}
	return nil
}

func (l *Log) position() position {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// keeping gives each keeper the end of the chain within a second of an append, until
// the log is closed.
func (l *Log) keeping() {
	var kept uint64
	failed := false
	for last := false; !last; {
		select {
		case <-l.grown:
		case <-l.stop:
			last = true
		}
		err := l.keep(&kept, last)
		if (err != nil) != failed && l.opts.Kept != nil && !last {
			failed = err != nil
			l.opts.Kept(err)
		}
		if err != nil {
			l.grow() // tries again
		}
		select {
		case <-time.After(anchorEvery):
		case <-l.stop:
		}
	}
}

// grow lets the keepers know of an append.
func (l *Log) grow() {
	select {
	case l.grown <- struct{}{}:
	default:
	}
}

// keep gives the end of the chain to every keeper, unless they have it.
func (l *Log) keep(kept *uint64, last bool) error {
	limit := keepTime
	if last {
		limit = lastKeepTime
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	l.mu.Lock()
	at, err := l.at, error(nil)
	if !l.closed && l.synced < at.size {
		err = l.locked(l.syncNow) // no keeper may know what a power cut can take away
	}
	l.mu.Unlock()
	if err != nil || at.count == *kept {
		return err
	}
	text, err := l.signer.checkpoint(at)
	if err != nil {
		return err
	}
	for _, k := range l.opts.Keepers {
		if err := k.Keep(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", k.Name(), err)
		}
	}
	*kept = at.count
	return nil
}
