package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
)

const (
	signinsName = "glovebox-signins"
	// maxSignins bounds all sign-ins, in bytes: those of 128 servers at their largest, and
	// of the thousand that a gateway has at most at a usual size of 4 KiB.
	maxSignins = 16 << 20
	// loginPoll is how long one request waits for a person: less than a verb may take.
	loginPoll = time.Minute
)

// signins are the sign-ins of people, and those that somebody is in the middle of.
type signins struct {
	bucket *store.Bucket
	file   string // of the keys

	mu      sync.Mutex
	kept    *signin.Vault
	pending map[string]*pending // by server
}

// pending is a sign-in that waits for its person.
type pending struct {
	cancel context.CancelFunc
	done   chan struct{}
	err    error // once it is done
}

func openSignins(ctx context.Context, s *store.Store, file string) (*signins, error) {
	bucket, err := s.Bucket(ctx, store.BucketConfig{Name: signinsName, MaxValue: signin.MaxKept, MaxBytes: maxSignins})
	return &signins{bucket: bucket, file: file, pending: map[string]*pending{}}, err
}

// vault opens the keys when they are needed first: who has no such server has no such file.
func (s *signins) vault() (*signin.Vault, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		keys, err := signin.OpenKeys(s.file)
		if err != nil {
			return nil, fmt.Errorf("the key of the sign-ins: %w", err)
		}
		s.kept = signin.NewVault(s.bucket, keys)
	}
	return s.kept, nil
}

// replace makes a sign-in the one that a server waits for; an earlier one is given up.
func (s *signins) replace(name string, p *pending) {
	s.mu.Lock()
	before := s.pending[name]
	s.pending[name] = p
	s.mu.Unlock()
	if before != nil {
		before.cancel()
		<-before.done // its port is free again
	}
}

func (s *signins) get(name string) *pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending[name]
}

func (s *signins) close() {
	s.mu.Lock()
	all := s.pending
	s.pending = map[string]*pending{}
	s.mu.Unlock()
	for _, p := range all {
		if p != nil {
			p.cancel()
			<-p.done
		}
	}
}

// Login is a sign-in that waits for a person.
type Login struct {
	Name   string   `json:"name"`
	URL    string   `json:"url"`    // to open in a browser of this machine
	Issuer string   `json:"issuer"` // whose page that is
	Scopes []string `json:"scopes,omitempty"`
}

// LoginState is what became of a [Login].
type LoginState struct {
	Name    string         `json:"name"`
	Waiting bool           `json:"waiting,omitempty"`
	SignIn  *signin.Status `json:"sign_in,omitempty"`
}

// Login begins a sign-in of a person; LoginWait waits for it. A server whose registration
// says nothing about auth gets the grant of a person when the sign-in succeeds.
func (g *Gateway) Login(ctx context.Context, name, by string) (Login, error) {
	u, fresh, err := g.toSignIn(name)
	if err != nil {
		return Login{}, err
	}
	client, err := u.SignIn()
	if err != nil {
		return Login{}, err
	}
	waiting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &pending{cancel: cancel, done: make(chan struct{})}
	g.signins.replace(name, p)
	l, err := client.Login(ctx)
	if err != nil {
		cancel()
		p.err = err
		close(p.done)
		return Login{}, err
	}
	go func() {
		defer close(p.done)
		defer cancel()
		if p.err = l.Wait(waiting); p.err == nil {
			p.err = g.signedIn(waiting, name, by, fresh)
		}
	}()
	return Login{name, l.URL, l.Issuer, l.Scopes}, nil
}

// toSignIn returns the upstream that somebody may sign in to; fresh is set if its registration
// has to be changed for it.
func (g *Gateway) toSignIn(name string) (u *upstream.Upstream, fresh bool, err error) {
	r := g.registry.Now().Upstream(name)
	switch {
	case r == nil:
		return nil, false, g.noServer(name)
	case r.State != exposure.Enabled:
		return nil, false, notReached(r)
	case r.Config.Kind == upstream.Stdio:
		return nil, false, fmt.Errorf("upstream %q is a program on this machine, and only servers at a URL are signed in to; give it what it needs with --env and ${NAME}", name)
	case r.Config.Auth.Grant == signin.ClientCredentials:
		return nil, false, fmt.Errorf("upstream %q signs in by itself, with its own account; try it with glovebox upstream test %s", name, name)
	case r.Config.Auth.IsZero():
		if r.Origin == exposure.ByConfiguration {
			return nil, false, fmt.Errorf("upstream %q has no auth; write upstreams.%s.auth: {grant: code} into the configuration", name, name)
		}
		c := r.Config
		c.Auth.Grant = signin.Code
		u, err := upstream.New(c, g.options.Reach)
		if err != nil {
			return nil, false, &BadInput{err}
		}
		return u, true, nil
	}
	if g.door.Server(name) == nil {
		g.door.Admit()
	}
	if u = g.door.Server(name); u == nil {
		return nil, false, fmt.Errorf("upstream %q cannot be set up; see glovebox upstream show %s", name, name)
	}
	return u, false, nil
}

// signedIn has a server reached with its new tokens.
func (g *Gateway) signedIn(ctx context.Context, name, by string, fresh bool) error {
	if fresh {
		err := g.registry.Update(ctx, name, func(r *exposure.Registration) error {
			if r.Config.Auth.IsZero() {
				r.Config.Auth.Grant, r.By = signin.Code, by
			}
			return nil
		})
		if err != nil {
			return err
		}
		g.door.Admit()
	}
	if u := g.door.Server(name); u != nil {
		u.Retry()
		if !g.options.Asleep {
			_, _ = g.door.List(ctx, name) // how it went is shown with the server
		}
	}
	return nil
}

// LoginWait waits for the sign-in that a server waits for, at most a minute at a time. It is given
// up when ctx ends.
func (g *Gateway) LoginWait(ctx context.Context, name string) (LoginState, error) {
	p := g.signins.get(name)
	if p == nil {
		return LoginState{}, fmt.Errorf("nobody is signing in to %q; glovebox upstream login %s", name, name)
	}
	poll := time.NewTimer(loginPoll)
	defer poll.Stop()
	select {
	case <-poll.C:
		return LoginState{Name: name, Waiting: true}, nil
	case <-ctx.Done():
		p.cancel()
		return LoginState{}, ctx.Err()
	case <-p.done:
	}
	if errors.Is(p.err, context.Canceled) {
		return LoginState{}, fmt.Errorf("the sign-in to %q was given up, here or because another one was begun", name)
	}
	if p.err != nil {
		return LoginState{}, p.err
	}
	r := g.registry.Now().Upstream(name)
	if r == nil {
		return LoginState{}, g.noServer(name)
	}
	s, err := g.signIn(ctx, r)
	return LoginState{Name: name, SignIn: s}, err
}

// Logout forgets a sign-in. The issuer is not told: its own page ends what it has granted.
func (g *Gateway) Logout(ctx context.Context, name string) error {
	r := g.registry.Now().Upstream(name)
	if r == nil {
		return g.noServer(name)
	}
	if r.Config.Auth.Grant != signin.Code {
		return fmt.Errorf("nobody has signed in to %q", name)
	}
	if u := g.door.Server(name); u != nil {
		client, err := u.SignIn()
		if err == nil {
			return client.Logout(ctx)
		}
	}
	return g.forgetSignIn(ctx, r)
}

func (g *Gateway) forgetSignIn(ctx context.Context, r *exposure.Registration) error {
	if r == nil || r.Config.Auth.Grant != signin.Code {
		return nil
	}
	vault, err := g.signins.vault()
	if err != nil {
		return err
	}
	return vault.Forget(ctx, r.Name())
}

// signIn returns how the sign-in of a server is; nil if it wants none.
func (g *Gateway) signIn(ctx context.Context, r *exposure.Registration) (*signin.Status, error) {
	if r.Config.Auth.IsZero() {
		return nil, nil
	}
	u := g.door.Server(r.Name())
	if u == nil { // it is not enabled
		var err error
		if u, err = upstream.New(r.Config, g.options.Reach); err != nil {
			return nil, err
		}
	}
	client, err := u.SignIn()
	if err != nil {
		return &signin.Status{Needs: err.Error()}, nil
	}
	s, err := client.Status(ctx)
	return &s, err
}
