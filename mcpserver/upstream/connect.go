package upstream

import (
	"context"
	"errors"
	"net/http"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/plainhttp"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
)

var errClosed = errors.New("the upstream is closed")

// connect returns the session, and makes one if there is none. Several callers wait for
// the same attempt, which none of them ends by giving up.
func (u *Upstream) connect(ctx context.Context) (*session.Session, error) {
	u.mu.Lock()
	if u.life.Err() != nil {
		u.mu.Unlock()
		return nil, &Error{Upstream: u.config.Name, Kind: Gone, Err: errClosed}
	}
	if s := u.session; s != nil && s.Err() != nil {
		u.dropLocked(s)
	}
	if u.shared != nil {
		if err := u.shared.absent(); err != nil {
			u.mu.Unlock()
			return nil, err
		}
	}
	if s := u.session; s != nil {
		defer u.mu.Unlock()
		if !u.breaker.allow(u.options.Now()) {
			return nil, u.refusal()
		}
		return s, nil
	}
	a := u.connecting
	if a == nil {
		if !u.breaker.allow(u.options.Now()) {
			defer u.mu.Unlock()
			return nil, u.refusal()
		}
		a = &attempt{done: make(chan struct{})}
		u.connecting = a
		u.work.Add(1)
		go u.attempt(a)
	}
	u.mu.Unlock()
	select {
	case <-a.done:
		return a.session, a.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, &Error{Upstream: u.config.Name, Kind: Timeout, Err: errors.New("it was not connected in time")}
		}
		return nil, ctx.Err()
	}
}

// refusal is the error while the breaker is open.
func (u *Upstream) refusal() error {
	return &Error{Upstream: u.config.Name, Kind: Unavailable, RetryAt: u.breaker.until, Err: u.breaker.last}
}

func (u *Upstream) attempt(a *attempt) {
	defer u.work.Done()
	ctx, cancel := context.WithTimeout(u.life, connectTime)
	defer cancel()
	u.parted(ctx)
	s, err := u.open(ctx)
	if err == nil {
		u.restore(ctx, s)
	}
	if u.settle(a, s, err) {
		u.tell(Change{Tools: true, Resources: true, Prompts: true, Reconnected: true})
	}
}

// settle ends an attempt. It reports whether the server was connected again.
func (u *Upstream) settle(a *attempt, s *session.Session, err error) (again bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	defer close(a.done)
	u.connecting = nil
	if err == nil && u.life.Err() != nil {
		u.close(s)
		err = errClosed
	}
	if err != nil {
		u.breaker.failedNow(u.options.Now(), err, true, 0)
		u.options.Log.Warn("upstream.not_connected", "server", u.config.Name, "cause", err, "next", u.breaker.until)
		a.err = u.wrap(err, "ping")
		if e := (*Error)(nil); errors.As(a.err, &e) {
			e.RetryAt = u.breaker.until
		}
		return false
	}
	u.breaker.connected()
	u.session, a.session = s, s
	u.era = s.Info().Era
	u.connected++
	return u.connected > 1
}

// parted waits until the last process of the server has ended: two at once could want the
// same port, profile or lock.
func (u *Upstream) parted(ctx context.Context) {
	u.mu.Lock()
	last := u.closing
	u.mu.Unlock()
	if last != nil && u.config.Kind == Stdio {
		select {
		case <-last:
		case <-ctx.Done():
		}
	}
}

// open connects and agrees. What era a server speaks is remembered; if it no longer does,
// it is found out anew.
func (u *Upstream) open(ctx context.Context) (*session.Session, error) {
	u.mu.Lock()
	era := u.era
	u.mu.Unlock()
	o := session.Options{
		Era:     era,
		Name:    u.options.Name,
		Version: u.options.Version,
		Offer:   session.Offer(u.config.Offer),
		Changed: func(c session.Changes) {
			u.tell(Change{Tools: c.Tools, Resources: c.Resources, Prompts: c.Prompts})
			if u.shared != nil {
				u.shared.lease.Tell()
			}
		},
		Updated: func(uri string) { u.tell(Change{Updated: uri}) },
	}
	s, err := session.Open(ctx, u.dial, o)
	wire := (*transport.Error)(nil)
	unreached := errors.As(err, &wire) && (wire.Kind == transport.Unreachable || wire.Kind == transport.Unauthorized)
	if err != nil && era != session.Auto && eras[u.config.Era] == session.Auto && ctx.Err() == nil && !unreached {
		o.Era = session.Auto
		s, err = session.Open(ctx, u.dial, o)
	}
	return s, err
}

// restore repeats on a new session what clients had asked for on the last one.
func (u *Upstream) restore(ctx context.Context, s *session.Session) {
	u.mu.Lock()
	level := u.level
	var uris []string
	for uri := range u.watched {
		uris = append(uris, uri)
	}
	u.mu.Unlock()
	if level != "" {
		_ = s.LogLevel(ctx, level) // it may have lost the feature
	}
	for _, uri := range uris {
		if s.Subscribe(ctx, uri) != nil && ctx.Err() != nil {
			return
		}
	}
}

// dial makes a connection of the configured kind.
func (u *Upstream) dial(ctx context.Context, handle transport.Handle, dropped func(transport.Drop)) (transport.Conn, error) {
	reached, secrets, err := u.config.resolved(u.options.Lookup)
	if err != nil {
		return nil, &transport.Error{Kind: transport.Unreachable, Unsent: true, Err: err}
	}
	if len(secrets) > 0 {
		u.mu.Lock()
		u.secrets = secrets
		u.mu.Unlock()
	}
	if u.config.Kind == Stdio {
		return u.start(ctx, &reached, handle, dropped)
	}
	to, err := reached.url()
	if err != nil {
		return nil, err
	}
	guard := &netguard.Guard{Resolve: u.options.Resolve, Dial: u.options.Dial, Hosts: netguard.AnyHost(), Private: u.config.AllowPrivate}
	pool := guard.Transport(u.options.Roots)
	quick := plainhttp.New(guard, pool)
	var rt http.RoundTripper = quick
	client, err := u.signIn(&reached)
	if err != nil {
		return nil, &transport.Error{Kind: transport.Unreachable, Unsent: true, Err: err}
	}
	if client != nil {
		rt = client.Transport(rt)
	}
	header := http.Header{"User-Agent": {u.options.Name + "/" + u.options.Version}}
	for name, value := range reached.Headers {
		header.Set(name, value)
	}
	out := outlet{rt, quick}
	if u.config.Kind == SSE {
		conn, err := transport.NewSSE(ctx, to, out, header, handle, dropped)
		if err != nil {
			quick.CloseIdleConnections()
			return nil, err
		}
		return conn, nil
	}
	return transport.NewHTTP(to, out, header, handle, dropped), nil
}

// outlet adds tokens and closes the pool behind it.
type outlet struct {
	http.RoundTripper
	pool *plainhttp.Transport
}

func (o outlet) CloseIdleConnections() { o.pool.CloseIdleConnections() }

// drop gives a session up, if it is still the current one.
func (u *Upstream) drop(s *session.Session) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.dropLocked(s)
}

func (u *Upstream) dropLocked(s *session.Session) {
	if u.session == s {
		u.session = nil
		u.close(s)
	}
}

// close says farewell in the background.
func (u *Upstream) close(s *session.Session) {
	done := make(chan struct{})
	u.closing = done
	u.work.Add(1)
	go func() {
		defer u.work.Done()
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		s.Close(ctx)
	}()
}

func (u *Upstream) tell(c Change) {
	if u.options.Changed != nil {
		c.Upstream = u.config.Name
		u.options.Changed(c)
	}
}
