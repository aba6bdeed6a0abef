package admission

import (
	"sync"
	"time"
)

// Session is a slot for a session or a stream of one principal. While idle, it
// gives way to a new session of the same principal, or of any principal when the
// server is full: a client that crashed does not return for its sessions.
type Session struct {
	gate    *Gate
	account *account
	used    int       // open requests and streams
	idle    time.Time // since when used is 0
	end     func()    // nil while it cannot give way
	closed  bool
}

// Open takes a slot for a session. It is in use until done is called, which also
// frees the slot unless [Session.Keep] was called. The error is a [*Refusal] or nil.
func (g *Gate) Open(principal string) (s *Session, done func(), err error) {
	g.mu.Lock()
	a, err := g.account(principal)
	if err != nil {
		g.mu.Unlock()
		return nil, nil, err
	}
	var evicted *Session
	switch {
	case a.sessions >= g.limits.Sessions:
		evicted = g.oldest(a)
	case len(g.sessions) >= g.limits.SessionsInAll:
		evicted = g.oldest(nil)
	default:
		s, done = g.take(a)
		g.mu.Unlock()
		return s, done, nil
	}
	if evicted == nil {
		g.forget(a)
		g.mu.Unlock()
		return nil, nil, &Refusal{TooManySessions, retryBusy}
	}
	s, done = g.take(a) // first: dropping its last session forgets an account
	g.drop(evicted)
	g.mu.Unlock()
	evicted.end()
	return s, done, nil
}

func (g *Gate) take(a *account) (s *Session, done func()) {
	s = &Session{gate: g, account: a}
	a.sessions++
	g.sessions[s] = struct{}{}
	return s, s.use()
}

// oldest finds the session that has been idle longest, of one principal or of all.
// It scans all of them, at most SessionsInAll, and only when a limit is reached.
func (g *Gate) oldest(of *account) (found *Session) {
	for s := range g.sessions {
		if s.used == 0 && s.end != nil && (of == nil || s.account == of) && (found == nil || s.idle.Before(found.idle)) {
			found = s
		}
	}
	return found
}

// Keep sets the function that ends the session when it gives way to another, and
// keeps the slot until [Session.Close]. It returns false if the slot is already free.
func (s *Session) Keep(end func()) bool {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	s.end = end
	return !s.closed
}

// Use marks a session as in use until done is called.
func (s *Session) Use() (done func()) {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	return s.use()
}

func (s *Session) use() (done func()) {
	s.used++
	return sync.OnceFunc(func() {
		s.gate.mu.Lock()
		defer s.gate.mu.Unlock()
		if s.used--; s.used > 0 {
			return
		}
		s.idle = time.Now()
		if s.end == nil {
			s.gate.drop(s)
		}
	})
}

// Principal returns the session's owner.
func (s *Session) Principal() string { return s.account.name }

// Close frees the slot. It may be called several times.
func (s *Session) Close() {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	s.gate.drop(s)
}

func (g *Gate) drop(s *Session) {
	if s.closed {
		return
	}
	s.closed = true
	delete(g.sessions, s)
	s.account.sessions--
	g.forget(s.account)
}
