package service

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/mcpserver/oauth"
)

// consoleWanted returns why there is no console, or nil.
func consoleWanted(l *config.Loaded, stdio bool) error {
	switch {
	case l.Console.Mode == config.Off:
		return errors.New("the console is turned off: set console.mode to auto or on")
	case l.Console.Mode != config.On && !stdio && (mcpserver.HTTP{Open: true}).Check(l.Listen) != nil:
		return fmt.Errorf("the server listens on %s, which other machines reach, and there is no console then unless it is asked for: set console.mode to on; it listens on %s", l.Listen, l.Console.Listen)
	}
	return nil
}

// ConsoleWanted returns why a server over HTTP has no console, or nil.
func ConsoleWanted(l *config.Loaded) error { return consoleWanted(l, false) }

// consoleLink opens the console if nobody has asked for it yet, and returns the address
// that signs a person in once. Until then there is no listener.
func (s *Service) consoleLink(by, role string) (string, error) {
	c, err := s.openConsole()
	if err != nil {
		return "", err
	}
	return c.Link(by, role)
}

// openConsole opens the console's listener, once.
func (s *Service) openConsole() (*console.Console, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.closed {
		return nil, errClosed
	}
	l := s.started
	if err := consoleWanted(l, s.options.Stdio); err != nil {
		return nil, err
	}
	if s.console == nil {
		o, err := s.consoleOptions()
		if err != nil {
			return nil, err
		}
		c, err := console.New(o)
		if err != nil {
			return nil, err
		}
		s.console = c
	}
	// A port that nobody chose may be taken by the console of another server. An issuer
	// sends people back to the one that it knows.
	chosen := l.Origins["console.listen"] != config.FromDefault || l.Console.SignIn.Issuer != ""
	return s.console, s.console.Listen(l.Console.Listen, !chosen)
}

// consoleFromStart reports whether the console listens before anybody asks for it.
func (s *Service) consoleFromStart() bool {
	l := s.started
	return l.Console.Mode == config.On || l.Console.SignIn.Issuer != "" && !s.options.Stdio && consoleWanted(l, false) == nil
}

// SigningIn returns how people sign in to the console at an issuer; nil if there is none.
func SigningIn(l *config.Loaded) (*console.SignIn, error) {
	s := l.Console.SignIn
	if s.Issuer == "" {
		return nil, nil
	}
	c, err := l.Signing()
	if err == nil {
		c.Roots, err = roots(string(s.CA))
	}
	if err != nil {
		return nil, fmt.Errorf("console.sign_in: %w", err)
	}
	party, err := oauth.OpenParty(c)
	if err != nil {
		return nil, fmt.Errorf("console.sign_in: %w", err)
	}
	return &console.SignIn{Party: party, Claim: s.Claim, Look: s.Look, Answer: s.Answer, Manage: s.Manage, Called: s.Called, Lasts: s.Lasts}, nil
}

func (s *Service) consoleOptions() (console.Options, error) {
	signIn, err := SigningIn(s.started)
	if err != nil {
		return console.Options{}, err
	}
	var shown *tls.Config
	if s.certificates != nil && !mcpserver.Loopback(s.started.Console.Listen) {
		shown = s.certificates.TLS()
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // nobody's clients are read
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		home = ""
	}
	return console.Options{
		Version: s.options.Version, Address: s.address, Desk: s.desk, Gateway: s.kept.gateway,
		Sessions: func() *labels.Sessions {
			s.changing.Lock()
			defer s.changing.Unlock()
			return s.sessions
		},
		Record: s.config.Audit, Chain: s.options.Place.Audit(s.started), Tools: s.Offered, Metrics: s.observed.Read,
		Kept: func(ctx context.Context) (map[string][]byte, error) {
			return checkpoints(ctx, s.started, s.options.Place)
		},
		Specs: s.shelf.all, Revisions: s.shelf.revisions.Of, Definition: s.Definition, Call: s.Try, Write: s.writing(),
		Trouble: func() error {
			if err := s.trouble.Load(); err != nil {
				return *err
			}
			return nil
		},
		Examine: s.options.Examine, Hosts: s.started.Hosts, URL: s.started.Console.URL, SignIn: signIn, TLS: shown, Home: home, Config: folder, Now: time.Now, Log: s.Logger(),
	}, nil
}

// checkpoints returns what is kept of the record elsewhere: beside the state folder, and in
// a cluster.
func checkpoints(ctx context.Context, l *config.Loaded, p Place) (map[string][]byte, error) {
	kept, err := Anchors(ctx, l, p)
	if err != nil {
		return nil, err
	}
	name := p.Anchor(l)
	text, err := os.ReadFile(name)
	if err == nil {
		kept[name] = text
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return kept, nil
}
