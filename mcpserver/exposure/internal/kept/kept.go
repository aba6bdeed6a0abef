// Package kept stores values of one type in a bucket of the store. Each value carries
// the version of its form and a checksum: what cannot be read as it was written is
// reported as damage and never taken for something else.
package kept

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// Bucket holds values of type T by key. It is safe for concurrent use.
type Bucket[T any] struct {
	values *store.Bucket
	what   string // one value, in words
	// version is that of the form written now. Older ones are read, newer ones are not:
	// reading them would drop what they say.
	version int

	view *store.View // nil until Follow

	mu    sync.RWMutex
	items map[string]item[T] // nil until Follow
}

// Of returns a bucket for values of type T. what names one value in errors.
func Of[T any](values *store.Bucket, what string, version int) *Bucket[T] {
	return &Bucket[T]{values: values, what: what, version: version}
}

// sealed is the form in which a value is stored.
type sealed struct {
	Version int             `json:"version"`
	Sum     string          `json:"sha256"` // of Value
	Value   json.RawMessage `json:"value"`
}

// Get returns one value; the store's error is NotFound if there is none.
func (b *Bucket[T]) Get(ctx context.Context, key string) (v T, err error) {
	e, err := b.values.Get(ctx, key)
	if err != nil {
		return v, err
	}
	return b.open(e.Value)
}

// ErrUnchanged is returned by the function of [Bucket.Change] to leave the value as it
// is.
var ErrUnchanged = errors.New("nothing to change")

// maxAttempts bounds the attempts of one change. Every conflict means that somebody
// else's change went through.
const maxAttempts = 32

// Change lets f change a value; there tells whether it exists. It is called again when
// somebody else was first. An error of f leaves the value as it is.
func (b *Bucket[T]) Change(ctx context.Context, key string, f func(v *T, there bool) error) error {
	for range maxAttempts {
		err := b.attempt(ctx, key, f)
		switch {
		case errors.Is(err, store.Conflict):
			continue
		case errors.Is(err, ErrUnchanged):
			return nil
		}
		return err
	}
	return fmt.Errorf("%s %q: others change it all the time; try again", b.what, key)
}

func (b *Bucket[T]) attempt(ctx context.Context, key string, f func(v *T, there bool) error) error {
	var v T
	e, err := b.values.Get(ctx, key)
	there := err == nil
	switch {
	case there:
		if v, err = b.open(e.Value); err != nil {
			return err
		}
	case !errors.Is(err, store.NotFound):
		return err
	}
	if err := f(&v, there); err != nil {
		return err
	}
	text, err := b.seal(v)
	if err != nil {
		return err
	}
	var revision uint64
	if there {
		revision, err = b.values.Update(ctx, key, text, e.Revision)
	} else {
		revision, err = b.values.Create(ctx, key, text)
	}
	if err == nil {
		b.note(store.Entry{Key: key, Value: text, Revision: revision})
	}
	return err
}

// Delete removes a value, whether it can be read or not, and reports whether there was
// one.
func (b *Bucket[T]) Delete(ctx context.Context, key string) (bool, error) {
	for range maxAttempts {
		e, err := b.values.Get(ctx, key)
		if errors.Is(err, store.NotFound) {
			return false, nil
		}
		if err == nil {
			err = b.values.Delete(ctx, key, e.Revision)
		}
		if err == nil {
			b.forget(key, e.Revision)
		}
		if !errors.Is(err, store.Conflict) {
			return err == nil, err
		}
	}
	return false, fmt.Errorf("%s %q: others change it all the time; try again", b.what, key)
}

func (b *Bucket[T]) seal(v T) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.what, err)
	}
	sum := sha256.Sum256(text)
	return json.Marshal(sealed{b.version, hex.EncodeToString(sum[:]), text})
}

func (b *Bucket[T]) open(text []byte) (v T, err error) {
	var s sealed
	if err := json.Unmarshal(text, &s); err != nil {
		return v, fmt.Errorf("%s is damaged: %w", b.what, err)
	}
	if s.Version < 1 || s.Version > b.version {
		return v, fmt.Errorf("%s has the form %d, and this program reads up to %d; use the program that wrote it, or a newer one", b.what, s.Version, b.version)
	}
	// The checksum is of the bytes as they were written, so they must stand there as
	// written: no decoder may have repaired them.
	if sum := sha256.Sum256(s.Value); hex.EncodeToString(sum[:]) != s.Sum {
		return v, fmt.Errorf("%s is damaged: its checksum is wrong", b.what)
	}
	dec := json.NewDecoder(bytes.NewReader(s.Value))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return v, fmt.Errorf("%s is damaged: %w", b.what, err)
	}
	return v, nil
}
