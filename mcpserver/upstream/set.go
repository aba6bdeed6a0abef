package upstream

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// MaxUpstreams bounds a set; each idle server costs some hundred kilobytes.
const MaxUpstreams = 1000

// Set is all upstreams of a gateway by name. It is safe for concurrent use; the zero Set
// is empty.
type Set struct {
	mu      sync.RWMutex
	all     map[string]*Upstream
	closing sync.WaitGroup // those that were replaced
}

// Get returns the upstream of a name, nil for none.
func (s *Set) Get(name string) *Upstream {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.all[name]
}

// All returns the upstreams in the order of their names.
func (s *Set) All() []*Upstream {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]*Upstream, 0, len(s.all))
	for _, u := range s.all {
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b *Upstream) int { return cmp.Compare(a.Name(), b.Name()) })
	return all
}

// Put adds an upstream. One of the same name is closed in the background: its calls end.
func (s *Set) Put(u *Upstream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.all[u.Name()]
	if old == nil && len(s.all) == MaxUpstreams {
		return fmt.Errorf("there are %d upstreams; remove one first", MaxUpstreams)
	}
	if s.all == nil {
		s.all = map[string]*Upstream{}
	}
	s.all[u.Name()] = u
	if old != nil && old != u {
		s.closing.Go(old.Close)
	}
	return nil
}

// Take takes an upstream out, for the caller to close; nil for none.
func (s *Set) Take(name string) *Upstream {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.all[name]
	delete(s.all, name)
	return u
}

// Remove takes an upstream out and closes it.
func (s *Set) Remove(name string) {
	if u := s.Take(name); u != nil {
		u.Close()
	}
}

// Close closes all upstreams at once and waits for them.
func (s *Set) Close() {
	for _, u := range s.All() {
		s.closing.Go(u.Close)
	}
	s.closing.Wait()
}

// Retire gives the servers that exist once in a cluster to other gateways; see
// [Upstream.Retire].
func (s *Set) Retire(ctx context.Context) {
	var all sync.WaitGroup
	for _, u := range s.All() {
		all.Go(func() { u.Retire(ctx) })
	}
	all.Wait()
}

// Watch looks after the servers until ctx ends, and reaches none that was not needed
// before: each time it asks the connected ones for a sign of life, and connects those again
// whose connection has ended, as their breakers allow. What they say has changed is heard
// only over a connection.
func (s *Set) Watch(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var checks sync.WaitGroup
	defer checks.Wait()
	var mu sync.Mutex
	checking := map[*Upstream]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, u := range s.All() {
			mu.Lock()
			busy := checking[u]
			checking[u] = true
			mu.Unlock()
			if busy { // one that does not answer keeps no other waiting
				continue
			}
			checks.Go(func() {
				if u.Status().Starts > 0 {
					_ = u.Check(ctx) // how it went is in the server's Status
				}
				mu.Lock()
				delete(checking, u)
				mu.Unlock()
			})
		}
	}
}
