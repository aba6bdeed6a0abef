package governed

import (
	"context"
	"encoding/json"
	"sync"
)

// slot is a call's place among those that run. While its tool waits for the client's
// answer, which takes as long as a person needs, another call has the place.
type slot struct {
	gate   Gate
	caller string

	mu      sync.Mutex
	free    func() // nil while the place is another's
	waiting int    // requests that wait for the client
}

// leave gives the place up until the same number of back.
func (s *slot) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting++; s.waiting == 1 && s.free != nil {
		s.free()
		s.free = nil
	}
}

// back waits for a place again, if nothing else waits for the client.
func (s *slot) back(ctx context.Context) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting--; s.waiting > 0 {
		return nil
	}
	s.free, err = s.gate.Slot(ctx, s.caller)
	return err
}

func (s *slot) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.free != nil {
		s.free()
		s.free = nil
	}
}

// patient is a peer whose answers are waited for without a slot.
type patient struct {
	Peer
	slot *slot
}

func (p patient) Request(ctx context.Context, asked ...Asked) ([]json.RawMessage, error) {
	p.slot.leave()
	answers, err := p.Peer.Request(ctx, asked...)
	if full := p.slot.back(ctx); err == nil {
		err = full
	}
	return answers, err
}
