package upstream

import (
	"context"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
)

// Status is how a server is, as far as the gateway knows without asking.
type Status struct {
	Connected bool
	Era       string // that it speaks; auto if that is not known
	Protocol  string // version; empty while it is not connected
	Breaker   State
	Reason    string    // why it last failed, if it has not succeeded since; may hold words of the server
	NextTry   time.Time // when an open breaker lets the next request through
	Running   int       // requests that run
	Waiting   int       // requests that wait for a place
	Starts    int       // how often it was connected
	// RunsAt is the machine where a server runs that exists once in a cluster; empty if
	// that is not known, or it may run everywhere.
	RunsAt string
	// Measures say what keeps the process of a stdio server in its bounds, and what does
	// not; nil before the first start.
	Measures []process.Measure
	// Dropped counts what this connection's server sent and nobody got, by reason.
	Dropped map[string]int64
}

// Status returns how the server is. It does not ask it.
func (u *Upstream) Status() Status {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := u.options.Now()
	s := Status{Era: u.era.String(), Breaker: u.breaker.state(now), Running: len(u.places), Starts: u.connected, Measures: u.measures}
	s.Waiting = max(len(u.queue)-s.Running, 0)
	if u.breaker.last != nil {
		s.Reason = u.breaker.last.Error()
	}
	if u.breaker.open {
		s.NextTry = u.breaker.until
	}
	if u.shared != nil {
		s.RunsAt = u.shared.host()
	}
	if u.session != nil {
		s.Connected = u.session.Err() == nil
		s.Protocol = u.session.Info().Protocol
		s.Dropped = u.session.Counts()
	}
	return s
}

// Check asks the server for a sign of life, and connects it first if it is not.
func (u *Upstream) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime+probeTime)
	defer cancel()
	if u.shared != nil {
		return u.shared.check(ctx)
	}
	return u.checkHere(ctx)
}

func (u *Upstream) checkHere(ctx context.Context) error {
	return u.with(ctx, "ping", func(s *session.Session) error { return s.Ping(ctx) })
}

// Retry forgets that the server failed, so that the next request is made at once: for when
// somebody has mended what was wrong, such as a missing login.
func (u *Upstream) Retry() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.breaker.succeeded()
}

// Subscribe asks the server to tell of changes of a resource, also after it was connected
// again, until Unsubscribe. See [Change.Updated].
func (u *Upstream) Subscribe(ctx context.Context, uri string) error {
	ctx, cancel := u.within(ctx)
	defer cancel()
	err := u.with(ctx, "ping", func(s *session.Session) error { return s.Subscribe(ctx, uri) })
	if err == nil {
		u.mu.Lock()
		u.watched[uri] = true
		u.mu.Unlock()
	}
	return err
}

// Unsubscribe ends [Upstream.Subscribe].
func (u *Upstream) Unsubscribe(ctx context.Context, uri string) error {
	ctx, cancel := u.within(ctx)
	defer cancel()
	u.mu.Lock()
	delete(u.watched, uri)
	u.mu.Unlock()
	return u.with(ctx, "ping", func(s *session.Session) error { return s.Unsubscribe(ctx, uri) })
}

// LogLevel asks for the server's log from a level on, also after it was connected again.
func (u *Upstream) LogLevel(ctx context.Context, level string) error {
	ctx, cancel := u.within(ctx)
	defer cancel()
	u.mu.Lock()
	u.level = level
	u.mu.Unlock()
	return u.with(ctx, "ping", func(s *session.Session) error { return s.LogLevel(ctx, level) })
}
