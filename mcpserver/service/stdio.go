package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/tokens"
)

// Claim makes this process the owner of a state folder, as [local.Take] does; doing is
// its command. If there is already an owner, the error names it and the ways out.
func Claim(ctx context.Context, state, doing string) (*local.Owner, error) {
	owner, err := local.Take(ctx, state, doing)
	if errors.Is(err, local.ErrOwned) {
		err = ownedBy(ctx, state)
	}
	return owner, err
}

// owned is local.ErrOwned with the owner and the ways out.
type owned struct{ text string }

func (e owned) Error() string { return e.text }

// Is implements the interface of [errors.Is].
func (owned) Is(target error) bool { return target == local.ErrOwned }

func ownedBy(ctx context.Context, state string) error {
	const own = "or give this one a state folder of its own with XDG_STATE_HOME"
	holder := cmp.Or(local.Holder(state), "another process")
	peer, err := local.Find(state)
	if err != nil {
		return owned{fmt.Sprintf("%s owns %s and does not serve: wait until it has ended, %s", holder, state, own)}
	}
	status, err := peer.Status(ctx)
	switch {
	case err != nil:
		return owned{fmt.Sprintf("%s owns %s: end it, %s (%v)", holder, state, own, err)}
	case status.Address != "":
		return owned{fmt.Sprintf("process %d owns %s and serves at %s: connect clients to that, stop it, %s", status.PID, state, status.Address, own)}
	}
	return owned{fmt.Sprintf("process %d (glovebox serve --stdio, for a client) owns %s: end that client, start this server, and the client shares it when it is back, %s", status.PID, state, own)}
}

// Stdio serves the client on two streams until it disconnects: by a service that
// open makes from o, or through the process that owns the state folder. If that
// process ends, this one may replace it in the middle of a session. As the owner it
// keeps serving while other clients are connected through it. out stays open.
func Stdio(ctx context.Context, o Options, in io.Reader, out io.Writer, open func(Options) (*Service, error)) error {
	state, tell := o.Place.State, o.Tell
	if tell == nil {
		tell = func(Event) {}
	}
	o.Stdio = true
	own := func(owner *local.Owner, serve func(*Service) error) error {
		o.Owner = owner
		s, err := open(o)
		if err != nil {
			return err
		}
		defer s.Close()
		return s.serveStreams(ctx, func() error { return serve(s) })
	}
	owner, session, err := local.Join(ctx, state)
	if errors.Is(err, local.ErrOwned) {
		return err
	}
	if err != nil {
		return &SetupError{err}
	}
	if owner != nil {
		return own(owner, func(s *Service) error {
			read, ok := in.(io.ReadCloser)
			if !ok {
				read = io.NopCloser(in)
			}
			return s.ServeStdio(context.WithoutCancel(ctx), local.Principal(), read, unclosed{out})
		})
	}
	if others := differences(o.Configuration, session.Owner.Flags); len(others) > 0 {
		tell(Differs{session.Owner.PID, others})
	}
	relay := local.NewRelay(in, out)
	for {
		lost := relay.Run(ctx, session)
		if lost == nil {
			return nil
		}
		before := session.Owner
		if owner, session, err = local.Join(ctx, state); err != nil {
			return errors.Join(lost, err)
		}
		if owner != nil {
			tell(Succeeded{Lost: lost})
			return own(owner, func(*Service) error {
				return relayToSelf(context.WithoutCancel(ctx), relay, state)
			})
		}
		if session.Owner.PID == before.PID && session.Owner.Since.Equal(before.Since) {
			session.Close()
			return fmt.Errorf("the server (process %d) ended the session of this client; it says why on its standard error", before.PID)
		}
		tell(Succeeded{Lost: lost, PID: session.Owner.PID})
	}
}

// relayToSelf connects a client of another owner to this process, over the socket
// as before, so that it stays the same principal.
func relayToSelf(ctx context.Context, relay *local.Relay, state string) error {
	peer, err := local.Find(state)
	if err != nil {
		return err
	}
	session, err := peer.Attach(ctx)
	if err != nil {
		return err
	}
	return relay.Run(ctx, session)
}

// serveStreams serves one client, and others through the socket, until all have
// disconnected. Only the end of ctx ends it earlier: running calls may then finish
// within the drain timeout, and the remaining clients continue with another owner.
func (s *Service) serveStreams(ctx context.Context, serve func() error) error {
	if err := s.Share(""); err != nil {
		return &SetupError{err}
	}
	drained := make(chan struct{})
	drain := func() {
		defer close(drained)
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.started.Limits.Drain)
		defer cancel()
		s.Drain(limit)
	}
	notYet := context.AfterFunc(ctx, drain)
	served := make(chan error, 1)
	go func() { served <- serve() }()
	var err error
	select {
	case err = <-served:
		s.owner.Outlast(ctx)
	case <-drained: // the client does not accept its last answers
	}
	if notYet() {
		drain()
	}
	<-drained
	if err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// Share opens the socket for this user's other processes. address is that of the
// HTTP endpoint, if there is one.
func (s *Service) Share(address string) error {
	about := local.About{Version: s.options.Version, Mode: "stdio", Address: address}
	if address != "" {
		about.Mode = "http"
	}
	s.changing.Lock()
	s.address = address
	s.changing.Unlock()
	if s.consoleFromStart() {
		if _, err := s.openConsole(); err != nil {
			return err
		}
	}
	return s.owner.Start(local.Config{
		About: func() local.About {
			now := about
			if err := s.trouble.Load(); err != nil {
				now.Trouble = (*err).Error()
			}
			now.Tools, now.Draining, now.Flags = s.ToolsAt()[""], s.Draining(), shapeOf(s.Configuration())
			return now
		},
		Lines:   s.ServeStdio,
		Inbox:   s.desk,
		Record:  s.config.Audit,
		Gateway: s.kept.gateway.Do, GatewayCode: gateway.Code,
		Console: s.consoleLink,
		Tokens:  s.kept.tokens.Do, TokensCode: tokens.Code,
		Logger: s.Logger(),
		Host:   s.hostCall,
		Sessions: func() *labels.Sessions {
			s.changing.Lock()
			defer s.changing.Unlock()
			return s.sessions
		},
	})
}

// unclosed keeps a stream open when the client disconnects: the server does not own
// it.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
