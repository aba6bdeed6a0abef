package admission

import (
	"context"
	"sync"
)

// Hold is the share of message memory that one principal's message occupies, from
// before it is read until it is answered.
type Hold struct {
	gate    *Gate
	account *account
	bytes   int64
	users   int
}

// Hold reserves n bytes for a message, or none. The reservation ends when
// [Hold.Free] has been called once per user; there is one user at first. The error
// is a [*Refusal] or nil.
//
// A principal may not hold more than is left for the others: one principal gets at
// most half, two get a third each. A flood from one therefore leaves room, and no
// share has to be configured for an unknown number of principals. A principal that
// holds nothing only needs the bytes to be free.
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

// WaitHold is Hold for a connection that cannot be told to retry later: it waits
// until there is room or ctx ends. A request for more than the total is treated as
// a request for the total.
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
		case <-room: // room was made before this call asked
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

// Bytes returns how many bytes are held in total.
func (g *Gate) Bytes() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.bytes
}

// Resize grows or shrinks a hold. Growing may be refused, which changes nothing.
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

// Share adds a user. The returned free is that user's Free; extra calls do nothing.
func (h *Hold) Share() (free func()) {
	h.gate.mu.Lock()
	defer h.gate.mu.Unlock()
	h.users++
	return sync.OnceFunc(h.Free)
}

// Free ends one user's hold.
func (h *Hold) Free() {
	h.gate.mu.Lock()
	defer h.gate.mu.Unlock()
	if h.users--; h.users == 0 {
		h.gate.hold(h.account, -h.bytes)
		h.gate.forget(h.account)
	}
}
