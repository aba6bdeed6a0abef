package admission

import (
	"context"
	"sync"
)

// Hold is what a message of one principal takes of the memory for messages, from
// before it is read until it is answered.
type Hold struct {
	gate    *Gate
	account *account
	bytes   int64
	users   int
}

// Hold takes n bytes for a message, or none; it is free when [Hold.Free] was called
// as often as there are users, of which there is one. The error is a [*Refusal] or
// nil.
//
// Nobody holds more than is left for the others: one principal gets at most half,
// two a third each. So a flood from one leaves room, and there is no share to set for
// each of a number of principals that nobody knows. One that holds nothing needs no
// more than room.
func (g *Gate) Hold(principal string, n int64) (*Hold, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a, err := g.account(principal)
	if err != nil {
		return nil, err
	}
	if !g.hasRoom(a, n) {
		g.forget(a)
		return nil, &Refusal{TooManyBytes, retryBusy}
	}
	g.hold(a, n)
	return &Hold{g, a, n, 1}, nil
}

// WaitHold is Hold for a connection that cannot be told to come back later: it waits
// until there is room, or ctx ends. More than can ever be held is what there is in
// all.
func (g *Gate) WaitHold(ctx context.Context, principal string, n int64) (*Hold, error) {
	n = min(n, int64(min(g.limits.Bytes, g.limits.BytesEach)))
	for {
		g.mu.Lock()
		room := g.room
		g.mu.Unlock()
		h, err := g.Hold(principal, n)
		if err == nil {
			return h, nil
		}
		select {
		case <-room: // was made since before it was asked for
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (g *Gate) hasRoom(a *account, n int64) bool {
	left := int64(g.limits.Bytes) - g.bytes - n
	return left >= 0 && a.bytes+n <= int64(g.limits.BytesEach) && (a.bytes == 0 || a.bytes+n <= left)
}

func (g *Gate) hold(a *account, n int64) {
	g.bytes += n
	a.bytes += n
	if n < 0 {
		close(g.room)
		g.room = make(chan struct{})
	}
}

// Bytes returns how many are held in all.
func (g *Gate) Bytes() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bytes
}

// Resize makes a hold larger, which may be refused and then changes nothing, or
// smaller.
func (h *Hold) Resize(n int64) error {
	h.gate.mu.Lock()
	defer h.gate.mu.Unlock()
	more := n - h.bytes
	if h.users == 0 || more == 0 {
		return nil
	}
	if more > 0 && !h.gate.hasRoom(h.account, more) {
		return &Refusal{TooManyBytes, retryBusy}
	}
	h.gate.hold(h.account, more)
	h.bytes = n
	return nil
}

// Share adds a user; free is its Free, and may be called several times.
func (h *Hold) Share() (free func()) {
	h.gate.mu.Lock()
	defer h.gate.mu.Unlock()
	h.users++
	return sync.OnceFunc(h.Free)
}

// Free ends one use.
func (h *Hold) Free() {
	h.gate.mu.Lock()
	defer h.gate.mu.Unlock()
	if h.users--; h.users == 0 {
		h.gate.hold(h.account, -h.bytes)
		h.gate.forget(h.account)
	}
}
