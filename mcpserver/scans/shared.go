package scans

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk/score"
)

// maxShared bounds the board of a cluster in bytes: 10,000 servers take some 5 MB.
const maxShared = 16 << 20

// Shared is the board of a cluster: a bucket that every server follows, and reads from
// memory. It is safe for concurrent use.
type Shared struct {
	bucket *store.Bucket
	view   *store.View

	mu    sync.Mutex
	said  map[string]store.Entry // by server
	heard func()
}

// Share opens the board of a cluster and follows it until ctx ends.
func Share(ctx context.Context, s *store.Store) (*Shared, error) {
	bucket, err := s.Bucket(ctx, store.BucketConfig{Name: "glovebox-scores", MaxValue: maxLast, MaxBytes: maxShared})
	if err != nil {
		return nil, err
	}
	b := &Shared{bucket: bucket, said: map[string]store.Entry{}}
	all, err := bucket.List(ctx, store.All)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		b.note(e)
	}
	b.view, err = bucket.Follow(ctx, func(e store.Entry) {
		if !b.note(e) {
			return
		}
		b.mu.Lock()
		heard := b.heard
		b.mu.Unlock()
		if heard != nil {
			heard()
		}
	})
	return b, err
}

// note takes in what is said of a server and reports whether it is news.
func (b *Shared) note(e store.Entry) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.said[e.Key].Revision >= e.Revision {
		return false
	}
	b.said[e.Key] = e
	return true
}

// Of implements [Board].
func (b *Shared) Of(t score.Target) (*Last, error) {
	key := server(t)
	b.mu.Lock()
	e := b.said[key]
	b.mu.Unlock()
	if e.Revision == 0 || e.Deleted {
		return nil, nil
	}
	return read(e.Value, key)
}

// Fresh implements [Board].
func (b *Shared) Fresh(ctx context.Context) error { return b.view.Fresh(ctx) }

// Watch implements [Board].
func (b *Shared) Watch(heard func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard = heard
}

// change implements [Board]. What is damaged is replaced; what a newer program has written
// is not.
func (b *Shared) change(ctx context.Context, server string, f func(*Last) *Last) error {
	for {
		e, err := b.bucket.Latest(ctx, server)
		if err != nil && !errors.Is(err, store.NotFound) {
			return err
		}
		var before *Last
		if err == nil {
			before, err = read(e.Value, server)
			if of := (*newer)(nil); errors.As(err, &of) {
				return err
			}
		}
		last := f(before)
		if last == nil {
			return nil
		}
		text, err := json.Marshal(last)
		if err != nil {
			return err
		}
		revision, err := b.set(ctx, server, text, e.Revision)
		if errors.Is(err, store.Conflict) {
			continue // somebody else was first; f looks again
		}
		if err == nil {
			b.note(store.Entry{Key: server, Value: text, Revision: revision})
		}
		return err
	}
}

func (b *Shared) set(ctx context.Context, server string, text []byte, before uint64) (uint64, error) {
	if before == 0 {
		return b.bucket.Create(ctx, server, text)
	}
	return b.bucket.Update(ctx, server, text, before)
}
