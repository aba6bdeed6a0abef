package store

import (
	"context"
	"sync"
	"time"
)

// Staleness is how old at most is what a [View] lets pass: a change that was acknowledged
// earlier, by any server, has been seen.
const Staleness = 5 * time.Second

// refresh is how old a view gets before the next use proves it anew, beside the call.
const refresh = time.Second

// View is what one process has seen of a bucket.
type View struct {
	bucket *Bucket
	renew  chan struct{} // asks for a new watch

	mu     sync.Mutex
	seen   uint64        // the newest revision
	news   chan struct{} // closed when there is a newer one
	proven time.Time     // everything that was acknowledged before has been seen
	proof  *proof        // under way; nil for none
}

type proof struct {
	done chan struct{}
	err  error
}

// Follow calls f with the values of all keys and then each change, one at a time, until
// ctx ends or the store is closed. After a lost connection the values are sent again.
func (b *Bucket) Follow(ctx context.Context, f func(Entry)) (*View, error) {
	v := &View{bucket: b, renew: make(chan struct{}, 1), news: make(chan struct{})}
	err := b.watch(ctx, All, v.renew, func(_ context.Context, e Entry) {
		if e.Key != fenceKey {
			f(e)
		}
		v.saw(e.Revision)
	}, func() {})
	return v, err
}

func (v *View) saw(revision uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if revision > v.seen {
		v.seen = revision
		close(v.news)
		v.news = make(chan struct{})
	}
}

// Fresh returns nil if the view has every change that was acknowledged longer than
// Staleness ago. If that is not known it is found out, which takes three seconds at most.
func (v *View) Fresh(ctx context.Context) error {
	if v.bucket.store.heads != nil { // embedded: nobody else changes anything
		return nil
	}
	for {
		v.mu.Lock()
		age, p := since(v.proven), v.proof
		if age > refresh && p == nil {
			p = &proof{done: make(chan struct{})}
			v.proof = p
			go v.prove(p)
		}
		v.mu.Unlock()
		if age <= Staleness {
			return nil
		}
		select {
		case <-p.done:
			if p.err != nil {
				return v.bucket.failed("follow", All, p.err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// since is the time since then by the clock that runs longer: one of them stands still
// while a machine is suspended, and the other can be set back.
func since(then time.Time) time.Duration {
	return max(time.Since(then), time.Now().Round(0).Sub(then.Round(0)))
}

// prove writes a fence and waits until the view has seen it.
func (v *View) prove(p *proof) {
	began, err := v.fenced()
	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil {
		v.proven = began
	}
	v.proof, p.err = nil, err
	close(p.done)
}

func (v *View) fenced() (began time.Time, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), oneFence)
	defer cancel()
	f, err := v.bucket.fence(ctx)
	if err != nil {
		return began, err
	}
	ctx, cancel = context.WithTimeout(context.Background(), oneTry)
	defer cancel()
	for {
		v.mu.Lock()
		seen, news := v.seen, v.news
		v.mu.Unlock()
		if seen >= f.revision {
			return f.began, nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			// The watch is of a member that is gone or cut off, which it would notice
			// only after 20 s.
			select {
			case v.renew <- struct{}{}:
			default:
			}
			return began, ctx.Err()
		}
	}
}
