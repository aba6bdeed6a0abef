package store

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// fenceKey is where fences are written. Nothing else that is kept has such a name.
const fenceKey = "=fence"

// fence is a write that says nothing: what was acknowledged anywhere before it began is
// in the bucket before it, so whoever has the fence has all of that. A leader that is cut
// off from the others still answers reads for ten seconds and more, and cannot write one.
type fence struct {
	done     chan struct{}
	began    time.Time
	revision uint64
	err      error
}

// fences are those of one bucket. One is written at a time, and everybody who waits
// shares the next one.
type fences struct {
	mu      sync.Mutex
	next    *fence // not begun yet; nil if nobody waits
	current *fence // begun last
}

// fence returns one that was begun after the call.
func (b *Bucket) fence(ctx context.Context) (*fence, error) {
	b.fences.mu.Lock()
	f := b.fences.next
	if f == nil {
		f = &fence{done: make(chan struct{})}
		b.fences.next = f
		go b.write(f, b.fences.current)
	}
	b.fences.mu.Unlock()
	select {
	case <-f.done:
		return f, f.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// idle reports whether nobody waits for a fence.
func (f *fences) idle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.next != nil {
		return false
	}
	if f.current == nil {
		return true
	}
	select {
	case <-f.current.done:
		return true
	default:
		return false
	}
}

// write writes a fence after the one before.
func (b *Bucket) write(f, before *fence) {
	if before != nil {
		<-before.done
	}
	b.fences.mu.Lock()
	b.fences.next, b.fences.current = nil, f
	f.began = time.Now()
	b.fences.mu.Unlock()
	f.revision, f.err = b.acknowledged()
	close(f.done)
}

const (
	// oneFence bounds the attempts to write a fence. Another one begins after each
	// attemptAlone while those before still wait, since an acknowledgement of any of them
	// will do: a leader that steps down never sends one, and one that is busy sends it late.
	oneFence, attemptAlone = 2 * oneTry, oneTry / 4
)

// acknowledged writes a fence and returns its revision.
func (b *Bucket) acknowledged() (revision uint64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), oneFence)
	defer cancel()
	type result struct {
		revision uint64
		err      error
	}
	results := make(chan result, oneFence/attemptAlone)
	attempt := func() {
		ack, err := b.store.streams().PublishMsg(ctx, b.emptyFence())
		if err != nil {
			results <- result{0, err}
			return
		}
		results <- result{ack.Sequence, nil}
	}
	go attempt()
	again := time.NewTicker(attemptAlone)
	defer again.Stop()
	for attempts := 1; ; {
		select {
		case r := <-results:
			if r.err == nil || codeOf(r.err) != Unreachable {
				return r.revision, r.err
			}
			err = r.err
		case <-again.C:
			if time.Duration(attempts)*attemptAlone >= oneTry {
				b.store.seek(b.emptyFence())
			}
			if attempts < cap(results) {
				attempts++
				go attempt()
			}
		case <-ctx.Done():
			return 0, cmp.Or(err, ctx.Err())
		}
	}
}

// emptyFence is a deletion: whoever reads the bucket and knows no fences passes it over.
func (b *Bucket) emptyFence() *nats.Msg {
	return &nats.Msg{Subject: b.subject(fenceKey), Header: nats.Header{"KV-Operation": {"DEL"}}}
}

func (b *Bucket) subject(key string) string { return "$KV." + b.name + "." + key }

// Unchanged reports whether a key had a revision at some moment of the call: a fence that is
// written only if it has. It takes one write and no read, and readers of different keys
// share none. False is also the answer if nobody can tell; [Bucket.Latest] then finds out.
func (b *Bucket) Unchanged(ctx context.Context, key string, revision uint64) bool {
	if b.store.heads != nil { // embedded: there is one member
		e, err := b.Get(ctx, key)
		return err == nil && e.Revision == revision
	}
	if !validKey.MatchString(key) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, oneTry)
	defer cancel()
	_, err := b.store.streams().PublishMsg(ctx, b.emptyFence(), jetstream.WithExpectLastSequenceForSubject(revision, b.subject(key)))
	if err != nil && codeOf(err) == Unreachable {
		b.store.seek(b.emptyFence())
	}
	return err == nil
}
