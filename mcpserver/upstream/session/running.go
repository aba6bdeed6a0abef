package session

import (
	"context"
	"encoding/json"
	"sync"
)

// maxAsking bounds the requests that a server may have open during one call, and
// maxAsked all that it makes: a person has to answer them.
const (
	maxAsking = 8
	maxAsked  = 100
)

// running is a call while it runs.
type running struct {
	ctx  context.Context
	id   int64
	peer Peer

	mu     sync.Mutex
	over   bool
	asking []context.CancelFunc // one for each request of the server that was let through
	open   int                  // how many of them are not answered
}

func (s *Session) begin(ctx context.Context, id int64, peer Peer) *running {
	c := &running{ctx: ctx, id: id, peer: peer}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[id] = c
	return c
}

// finish ends a call: nothing reaches its peer afterwards.
func (s *Session) finish(c *running) {
	s.mu.Lock()
	delete(s.running, c.id)
	s.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for _, cancel := range c.asking {
		cancel()
	}
}

// of returns the call that a message from the server belongs to: that on whose stream it
// came, or the only one.
func (s *Session) of(from int64) *running {
	s.mu.Lock()
	defer s.mu.Unlock()
	if from != 0 {
		return s.running[from]
	}
	if len(s.running) == 1 {
		for _, c := range s.running {
			return c
		}
	}
	return nil
}

// notify hands a notification to the peer and reports whether it did.
func (c *running) notify(method string, params json.RawMessage) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.peer == nil {
		return false
	}
	c.peer.Notify(method, params)
	return true
}

// enter lets a request of the server through, with a context that ends with the call;
// leave must follow if it does.
func (c *running) enter() (ctx context.Context, cancel context.CancelFunc, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.open == maxAsking || len(c.asking) == maxAsked {
		return nil, nil, false
	}
	ctx, cancel = context.WithCancel(c.ctx)
	c.asking = append(c.asking, cancel)
	c.open++
	return ctx, cancel, true
}

func (c *running) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
}
