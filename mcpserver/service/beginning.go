package service

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// firstTries bounds how long a start may keep a server unready: other people's servers
// that hang, and specs that cannot be copied, must not keep their gateway away. It is
// longer than servers take that start a process, and shorter than one may take that is
// downloaded first (a minute).
const firstTries = 30 * time.Second

// beginning is what a server waits for before it is ready for the first time: a balancer
// must not send it calls of tools that its neighbours know and it does not.
type beginning struct {
	until  time.Time   // nothing is waited for any longer
	copied atomic.Bool // what the cluster has published is served
	over   atomic.Bool // it has been ready, and is not held up again
}

var errNotCopied = errors.New("the specs that the cluster has published are not copied yet")

// begun returns what the first readiness still waits for.
func (s *Service) begun() error {
	b := &s.beginning
	if b.over.Load() {
		return nil
	}
	var waits error
	if s.started.State.NATS.URL != "" && !b.copied.Load() {
		waits = errNotCopied
	}
	if names := s.kept.gateway.Pending(); len(names) > 0 {
		waits = errors.Join(waits, fmt.Errorf("the tools of %s are not listed yet", strings.Join(names, ", ")))
	}
	if waits == nil || time.Now().After(b.until) {
		b.over.Store(true)
		return nil
	}
	return waits
}

// offerCopied serves what was copied the first time. Later copies are seen like changes of
// any folder, a moment later.
func (s *Service) offerCopied() {
	if s.beginning.copied.Load() {
		return
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.working.Err() == nil {
		s.offer(s.stock.specs.Reload())
		s.beginning.copied.Store(true)
	}
}
