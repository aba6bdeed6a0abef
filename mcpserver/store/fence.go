package store

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
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

// write writes a fence after the one before.
func (b *Bucket) write(f, before *fence) {
	if before != nil {
		<-before.done
	}
	b.fences.mu.Lock()
	b.fences.next, b.fences.current = nil, f
	f.began = time.Now()
	b.fences.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), oneTry)
	defer cancel()
	ack, err := b.store.streams().PublishMsg(ctx, b.emptyFence())
	if err == nil {
		f.revision = ack.Sequence
	}
	f.err = err
	close(f.done)
	if err != nil && codeOf(err) == Unreachable {
		b.store.seek(b.emptyFence())
	}
}

// emptyFence is a deletion: whoever reads the bucket and knows no fences passes it over.
func (b *Bucket) emptyFence() *nats.Msg {
	return &nats.Msg{Subject: b.subject(fenceKey), Header: nats.Header{"KV-Operation": {"DEL"}}}
}

func (b *Bucket) subject(key string) string { return "$KV." + b.name + "." + key }
