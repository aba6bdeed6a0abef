package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/notify"
)

// Endpoint is a service listening for clients over HTTP.
type Endpoint struct {
	// URL is the address of the endpoint.
	URL string
	// Resource is what the issuer's access tokens must be issued for; empty if
	// there is no issuer.
	Resource string
	// Made is the text of a newly made token. It cannot be retrieved again.
	Made string

	service  *Service
	listener net.Listener
	over     mcpserver.HTTP
}

// Listen opens the endpoint that the configuration names, and the socket for this
// user's other processes. [Endpoint.Serve] admits clients; the endpoint is open
// until it returns.
func (s *Service) Listen() (*Endpoint, error) {
	l := s.started
	e := &Endpoint{service: s, over: mcpserver.HTTP{
		Open: l.Token.None, Now: s.door, SessionTimeout: l.Limits.SessionIdle, Linger: l.Limits.Linger, DrainTimeout: l.Limits.Drain,
		Ready: s.Ready, OpenMetrics: l.Telemetry.OpenMetrics, Links: slices.ContainsFunc(l.Routes(), func(r notify.Route) bool { return r.Link }), SSE: l.SSE, Named: s.named,
		Leaving: func() { s.kept.retire(l.Limits.Linger + l.Limits.Drain) },
	}}
	e.over.TokenPlace = s.tokenPlace(l)
	if err := e.over.Check(l.Listen); err != nil {
		return nil, &SetupError{err}
	}
	var err error
	if e.listener = s.options.Listener; e.listener == nil {
		e.listener, err = net.Listen("tcp", l.Listen)
	}
	if err != nil {
		return nil, &SetupError{err}
	}
	if err := e.letIn(l); err != nil {
		e.listener.Close()
		return nil, &SetupError{err}
	}
	return e, nil
}

func (e *Endpoint) letIn(l *config.Loaded) (err error) {
	if e.service.certificates != nil {
		e.over.TLS = e.service.certificates.TLS()
	}
	e.URL = address(l, e.listener.Addr().(*net.TCPAddr), net.InterfaceAddrs)
	if e.over.OAuth, err = Guard(l, e.URL); err != nil {
		return err
	}
	if e.over.OAuth != nil {
		e.Resource = e.over.OAuth.Resource()
	}
	if err := e.service.Share(e.URL); err != nil {
		return err
	}
	// This comes last: a new token is shown once, so nothing may fail afterwards.
	e.Made, err = e.service.admit()
	return err
}

// Serve admits clients until ctx ends, and then drains.
func (e *Endpoint) Serve(ctx context.Context) error {
	return e.service.ServeHTTP(ctx, e.listener, e.over)
}

// door returns the token and host names accepted now.
func (s *Service) door() (mcpserver.Token, []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token, append(slices.Clip(s.counts.Hosts), s.started.TLS.Names...)
}

// named finds the holder of a named token.
func (s *Service) named(ctx context.Context, text string) (mcpserver.Holder, bool, error) {
	if err := s.kept.tokens.Fresh(ctx, text); err != nil {
		return mcpserver.Holder{}, false, err
	}
	t, valid, ok := s.kept.tokens.Find(text)
	return mcpserver.Holder{Principal: t.Principal(), Names: t.Tools, Cap: t.Cap, Approver: t.Approver, Expires: t.Expires, Valid: valid}, ok, nil
}

// admit finds the token that clients must send, or makes one; made is the text of a
// new token.
func (s *Service) admit() (made string, err error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	token, err := s.tokenNow(s.counts)
	if errors.Is(err, os.ErrNotExist) && s.counts.Token.File == "" {
		token, made, err = mcpserver.EnsureToken(s.options.Place.Token(s.counts))
	}
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	s.token, s.letsIn = token, true
	s.mu.Unlock()
	return made, nil
}

// tokenNow reads the token from its file, from its variable, or from an earlier
// start.
func (s *Service) tokenNow(l *config.Loaded) (mcpserver.Token, error) {
	t, err := s.tokenFound(l)
	if err == nil && t.Weak() && !l.Token.Weak && !mcpserver.Loopback(l.Listen) {
		err = fmt.Errorf("%w, or say --weak-token; other machines reach %s (the token is %s)", mcpserver.ErrWeak, l.Listen, s.tokenPlace(l))
	}
	return t, err
}

// tokenPlace says where the token is that clients must send.
func (s *Service) tokenPlace(l *config.Loaded) string {
	if _, inEnvironment := s.options.Place.lookup(l.Token.Env); inEnvironment && l.Token.File == "" {
		return "in the variable " + l.Token.Env
	}
	return "in " + s.options.Place.Token(l)
}

func (s *Service) tokenFound(l *config.Loaded) (t mcpserver.Token, err error) {
	text, inEnvironment := s.options.Place.lookup(l.Token.Env)
	switch {
	case l.OAuth.Issuer != "" && !l.OAuth.WithToken && inEnvironment:
		return t, fmt.Errorf("%s holds a token, and --oauth-issuer admits access tokens alone; say --oauth-with-token to admit both", l.Token.Env)
	case l.OAuth.Issuer != "" && !l.OAuth.WithToken:
		return t, nil // the zero token admits nobody
	case l.Token.None && inEnvironment:
		return t, fmt.Errorf("--no-token, and a token is given in %s", l.Token.Env)
	case l.Token.None:
		return t, nil
	case l.Token.File == "" && inEnvironment:
		if t, err = mcpserver.NewToken(text); err != nil {
			err = fmt.Errorf("%s: %w", l.Token.Env, err)
		}
		return t, err
	}
	return mcpserver.ReadToken(s.options.Place.Token(l))
}
