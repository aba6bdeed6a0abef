package store

import (
	"context"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// LatestList is [Bucket.List] of some moment of the call, as [Bucket.Latest] is Get: a
// member that does not have all acknowledged writes yet is asked again.
func (b *Bucket) LatestList(ctx context.Context, keys string) ([]Entry, error) {
	if b.store.heads != nil { // embedded: there is one member
		return b.List(ctx, keys)
	}
	return b.latest(ctx, keys)
}

// LatestKeys is [Bucket.Keys] of some moment of the call.
func (b *Bucket) LatestKeys(ctx context.Context, keys string) ([]string, error) {
	if b.store.heads != nil {
		return b.Keys(ctx, keys)
	}
	entries, err := b.latest(ctx, keys, jetstream.MetaOnly())
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Key
	}
	return all, err
}

// latest returns the entries of keys, which must not match the fence's.
func (b *Bucket) latest(ctx context.Context, keys string, options ...jetstream.WatchOpt) ([]Entry, error) {
	ctx, cancel := b.store.within(ctx)
	defer cancel()
	var f *fence
	for pause := lagging; ; pause = min(2*pause, mostLagging) {
		var err error
		if f == nil {
			if f, err = b.fence(ctx); err != nil {
				f = nil
			}
		}
		if f != nil {
			var all []Entry
			var seen uint64
			if all, seen, err = b.besideFence(ctx, keys, options...); err == nil && seen >= f.revision {
				return all, nil
			}
		}
		if ctx.Err() != nil || err != nil && codeOf(err) != Unreachable {
			return nil, b.failed("list", keys, err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// besideFence returns the entries of keys and the revision of the fence that one member has
// at the same moment.
func (b *Bucket) besideFence(ctx context.Context, keys string, options ...jetstream.WatchOpt) (all []Entry, seen uint64, err error) {
	w, err := b.values().WatchFiltered(ctx, []string{keys, fenceKey}, options...)
	if err != nil {
		return nil, 0, err
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		case e, open := <-w.Updates():
			switch {
			case !open:
				return nil, 0, context.DeadlineExceeded
			case e == nil:
				return slices.DeleteFunc(all, func(e Entry) bool { return e.Deleted }), seen, nil
			case e.Key() == fenceKey:
				seen = e.Revision()
			default:
				all = append(all, entryOf(e))
			}
		}
	}
}
