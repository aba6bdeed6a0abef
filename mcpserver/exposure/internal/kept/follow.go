package kept

import (
	"context"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// item is one value as it was last seen.
type item[T any] struct {
	value    T
	damage   error // the value cannot be read
	revision uint64
	deleted  bool
}

// Follow reads all values into memory and keeps them up to date until ctx ends. changed
// is called after each change that another process made; it must not wait.
func (b *Bucket[T]) Follow(ctx context.Context, changed func(key string)) error {
	entries, err := b.values.List(ctx, store.All)
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.items = map[string]item[T]{}
	b.mu.Unlock()
	for _, e := range entries {
		b.note(e)
	}
	b.view, err = b.values.Follow(ctx, func(e store.Entry) {
		if b.note(e) {
			changed(e.Key)
		}
	})
	return err
}

// Fresh returns nil if what is in memory has every change that was acknowledged longer
// than [store.Staleness] ago, anywhere.
func (b *Bucket[T]) Fresh(ctx context.Context) error { return b.view.Fresh(ctx) }

// One returns one value in memory.
func (b *Bucket[T]) One(key string) (v T, there bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	i, there := b.items[key]
	if !there || i.deleted || i.damage != nil {
		return v, false
	}
	return i.value, true
}

// Load reads every value by key, for what is not followed. Those that cannot be read
// are missing.
func (b *Bucket[T]) Load(ctx context.Context) (map[string]T, error) {
	entries, err := b.values.List(ctx, store.All)
	all := make(map[string]T, len(entries))
	for _, e := range entries {
		if v, err := b.open(e.Value); err == nil {
			all[e.Key] = v
		}
	}
	return all, err
}

// note takes in an entry and reports whether it is news.
func (b *Bucket[T]) note(e store.Entry) bool {
	var next item[T]
	next.revision, next.deleted = e.Revision, e.Deleted
	if !e.Deleted {
		next.value, next.damage = b.open(e.Value)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.items == nil || b.items[e.Key].revision >= e.Revision {
		return false
	}
	b.items[e.Key] = next
	return true
}

// forget takes in that a value of this revision was deleted here. The revision of the
// deletion is not known, so the watch tells of it once more.
func (b *Bucket[T]) forget(key string, revision uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.items != nil && b.items[key].revision == revision {
		b.items[key] = item[T]{revision: revision, deleted: true}
	}
}

// Value returns what is kept under a key; the zero value if that is nothing, or cannot be
// read.
func (b *Bucket[T]) Value(key string) (value T) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if i, kept := b.items[key]; kept && !i.deleted && i.damage == nil {
		value = i.value
	}
	return value
}

// Now returns the values in memory by key, and why others cannot be read.
func (b *Bucket[T]) Now() (values map[string]T, damaged map[string]error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	values, damaged = make(map[string]T, len(b.items)), map[string]error{}
	for key, i := range b.items {
		switch {
		case i.deleted:
		case i.damage != nil:
			damaged[key] = i.damage
		default:
			values[key] = i.value
		}
	}
	return values, damaged
}
