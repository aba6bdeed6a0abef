// Package notify tells people that a question waits for them: through a webhook, a command,
// or a notification of the desktop.
//
//	Route    who is told about which questions, and how
//	Sender   follows the questions and sends a notice of each, once to each route
//
// No call waits for it: notices are sent from what the desk has stored. They hold what an
// operator sees there, from which secrets were removed before.
package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/internal/wildcard"
	"github.com/glovebox-run/glovebox/risk"
)

// Route says who is told about which questions. One of URL, Command and Desktop is set.
type Route struct {
	Name string
	// URL is posted to: https, or http on this machine. It may hold ${NAME}; so may Secret.
	URL string
	// Secret signs the body as Standard Webhooks do; the base64 of the key, with or without
	// whsec_ before it. Empty does not sign.
	Secret string
	// Format is one of Formats; empty is the first.
	Format string
	// Template is a file that makes the body in the place of the format, whose type it keeps.
	Template string
	// Command gets the notice as JSON on its standard input.
	Command []string
	// Desktop shows a notification on this machine.
	Desktop bool
	// Link adds an address under which the question can be answered once.
	Link bool
	// Tools, Principals are patterns of which one has to fit; empty is all. Level is the
	// lowest that is told about.
	Tools, Principals []string
	Level             risk.Level
}

// Check reports what is wrong with a route, apart from its variables.
func (r Route) Check() error {
	ways := 0
	for _, set := range []bool{r.URL != "", len(r.Command) > 0, r.Desktop} {
		if set {
			ways++
		}
	}
	if ways != 1 {
		return errors.New("wants one of url, command and desktop")
	}
	if r.Secret != "" && r.URL == "" {
		return errors.New("signs what is sent to a url, and names none")
	}
	return nil
}

// address checks a URL whose variables are replaced.
func address(text string) error {
	at, err := url.Parse(text)
	if err != nil || at.Host == "" {
		return errors.New("the url is none") // it may hold a secret, so it is not shown
	}
	local := at.Hostname() == "localhost" || at.Hostname() == "127.0.0.1" || at.Hostname() == "::1"
	if at.Scheme != "https" && !(at.Scheme == "http" && local) {
		return errors.New("the url is not https")
	}
	return nil
}

// wants reports whether a route is told about a question.
func (r Route) wants(e approve.Entry) bool {
	fits := func(patterns []string, name string) bool {
		for _, p := range patterns {
			if wildcard.Match(p, name) {
				return true
			}
		}
		return len(patterns) == 0
	}
	return e.Level >= r.Level && fits(r.Tools, e.Tool) && fits(r.Principals, e.Principal)
}

// Options configure a sender. Desk, Claim and Logger are required.
type Options struct {
	Routes []Route
	Desk   *approve.Desk
	// Claim reports whether nobody has taken a key before: of several servers that share
	// their questions one sends each notice, and a restart sends none again.
	Claim func(ctx context.Context, key string) (bool, error)
	// Link returns the address under which a person answers a question once; empty if there
	// is none. May be nil.
	Link func(e approve.Entry, to string) string
	// Console is the address at which people sign in to answer; empty if there is none.
	Console string
	// Lookup replaces ${NAME}; nil finds nothing.
	Lookup func(name string) (string, bool)
	Logger *slog.Logger
	// Pauses are those between attempts; default some two minutes together.
	Pauses []time.Duration
}

const (
	// waiting bounds the notices of one route that wait for earlier ones.
	waiting = 64
	// attemptTime bounds one attempt.
	attemptTime = 15 * time.Second
	// claimTime bounds the look at who sends a notice.
	claimTime = 10 * time.Second
)

// pauses between attempts: short for a hiccup, then long enough for a restart.
var pauses = []time.Duration{time.Second, 5 * time.Second, 20 * time.Second, 90 * time.Second}

// Sender sends notices until its context ends.
type Sender struct {
	options Options
	client  http.Client
	queues  map[string]chan approve.Entry
	bodies  map[string]*body // of routes with a template
	done    sync.WaitGroup
}

// Start follows the questions until ctx ends; Wait waits for its end.
func Start(ctx context.Context, o Options) (*Sender, error) {
	if o.Pauses == nil {
		o.Pauses = pauses
	}
	s := &Sender{options: o, queues: map[string]chan approve.Entry{}, bodies: map[string]*body{}, client: http.Client{
		Timeout: attemptTime,
		// A redirect would carry the question to somebody whom the operator did not name.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for _, r := range o.Routes {
		made, err := r.template()
		if err != nil {
			return nil, fmt.Errorf("notify.%s.template: %w", r.Name, err)
		}
		s.bodies[r.Name] = made
	}
	changes, err := o.Desk.Changes(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range o.Routes {
		queue := make(chan approve.Entry, waiting)
		s.queues[r.Name] = queue
		s.done.Go(func() {
			for e := range queue {
				s.deliver(ctx, r, e)
			}
		})
	}
	s.done.Go(func() {
		seen := map[string]bool{}
		for range changes {
			s.look(ctx, seen)
		}
		for _, queue := range s.queues {
			close(queue)
		}
	})
	return s, nil
}

// Wait returns when nothing is sent any more.
func (s *Sender) Wait() { s.done.Wait() }

// look queues notices of the questions that are open and were not seen before.
func (s *Sender) look(ctx context.Context, seen map[string]bool) {
	all, err := s.options.Desk.List(ctx)
	if err != nil {
		s.options.Logger.Warn("notice.not_sent", "cause", err)
		return
	}
	now := map[string]bool{}
	for _, e := range all {
		if e.State != approve.Open {
			continue
		}
		now[e.ID] = true
		if seen[e.ID] {
			continue
		}
		seen[e.ID] = true
		for _, r := range s.options.Routes {
			if !r.wants(e) || !s.claimed(ctx, e.ID+"."+r.Name) {
				continue
			}
			select {
			case s.queues[r.Name] <- e:
			default:
				s.options.Logger.Warn("notice.not_sent", "route", r.Name, "approval", e.ID, "cause", fmt.Sprintf("%d others wait", waiting))
			}
		}
	}
	for id := range seen {
		if !now[id] {
			delete(seen, id)
		}
	}
}

func (s *Sender) claimed(ctx context.Context, key string) bool {
	ctx, cancel := context.WithTimeout(ctx, claimTime)
	defer cancel()
	first, err := s.options.Claim(ctx, key)
	if err != nil { // twice is better than never
		s.options.Logger.Warn("notice.not_claimed", "cause", err)
		return true
	}
	return first
}

// deliver tries until it succeeds, the question is answered or has expired, or nothing is
// left to try.
func (s *Sender) deliver(ctx context.Context, r Route, e approve.Entry) {
	var err error
	for attempt := 0; ; attempt++ {
		if err = s.send(ctx, r, e); err == nil || ctx.Err() != nil {
			return
		}
		if attempt >= len(s.options.Pauses) || errors.As(err, new(final)) {
			break
		}
		select {
		case <-time.After(s.options.Pauses[attempt]):
		case <-ctx.Done():
			return
		}
		if now, bad := s.options.Desk.Show(ctx, e.ID); bad == nil && now.State != approve.Open {
			return
		}
	}
	s.options.Logger.Warn("notice.not_sent", "route", r.Name, "approval", e.ID, "cause", err)
}

// final is an error that another attempt does not change.
type final struct{ error }

func (s *Sender) send(ctx context.Context, r Route, e approve.Entry) error {
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	n := s.notice(r, e)
	switch {
	case len(r.Command) > 0:
		return run(ctx, r.Command, n)
	case r.Desktop:
		return desktop(ctx, n)
	}
	return s.post(ctx, r, n)
}
