package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// Server is one registered server as an operator sees it.
type Server struct {
	exposure.Registration
	Risk Risk `json:"risk"`
	// Health is nil for a server that is not enabled.
	Health *Health `json:"health,omitempty"`
	// Scan is how its last scan ended, nil if there was none; ScanWith scans it.
	Scan     *scans.Last `json:"scan,omitempty"`
	ScanWith string      `json:"scan_with"`
	// Failed says why it could not be listed last.
	Failed string `json:"failed,omitempty"`
	// SignIn is how the sign-in of a server that wants one is; only of one that was asked
	// for by name.
	SignIn *signin.Status `json:"sign_in,omitempty"`
	// Unset are the variables that it needs and that nobody has set.
	Unset    []string   `json:"unset,omitempty"`
	LastUsed time.Time  `json:"last_used,omitzero"`
	Listed   time.Time  `json:"listed,omitzero"`
	Tools    []ToolView `json:"tools,omitempty"`
	// Truncated are the lists that ended at a bound.
	Truncated []string            `json:"truncated,omitempty"`
	Faults    []exposure.Withheld `json:"faults,omitempty"`
	Exposure  *exposure.Exposure  `json:"exposure,omitempty"`
	Withheld  []exposure.Withheld `json:"withheld,omitempty"`
}

// Risk is how risky it is to connect to a server.
type Risk struct {
	Level mcp.Level `json:"level"`
	Chip  string    `json:"chip"`
	// Matched is the id of the catalog entry that it was found by.
	Matched string `json:"matched,omitempty"`
	// Rationale has one reason for every axis, and one for the floor if any.
	Rationale map[string]string `json:"rationale"`
	Explained string            `json:"-"`
}

func riskOf(p mcp.Preview) Risk {
	return Risk{p.Level, p.Chip(), p.Matched, p.Rationale, p.Explain()}
}

// Health is how a server is, as far as is known without asking it.
type Health struct {
	Connected bool      `json:"connected"`
	Protocol  string    `json:"protocol,omitempty"`
	Breaker   string    `json:"breaker"`
	NextTry   time.Time `json:"next_try,omitzero"`
	Running   int       `json:"running"`
	Waiting   int       `json:"waiting"`
	Starts    int       `json:"starts"`
	// RunsAt is the machine where it runs, if it exists once in a cluster.
	RunsAt string `json:"runs_at,omitempty"`
}

func healthOf(u *upstream.Upstream) *Health {
	s := u.Status()
	return &Health{s.Connected, s.Protocol, string(s.Breaker), s.NextTry, s.Running, s.Waiting, s.Starts, s.RunsAt}
}

// ToolView is one tool that a server lists.
type ToolView struct {
	Name  string       `json:"name"`
	Level mcp.Level    `json:"level"`
	Pin   ledger.State `json:"pin"`
	// Offered are the sets that offer it; the exposed set is called "exposed".
	Offered []string `json:"offered,omitempty"`
}

// Waiting returns how many tools wait for a review.
func (s *Server) Waiting() (n int) {
	for _, t := range s.Tools {
		if t.Pin == ledger.New || t.Pin == ledger.Changed {
			n++
		}
	}
	return n
}

func (s *Server) unpinned() (n int) {
	for _, t := range s.Tools {
		if t.Pin == ledger.NoRoom {
			n++
		}
	}
	return n
}

// Servers returns all registered servers. It reaches none.
func (g *Gateway) Servers() []Server {
	return g.servers(func(string) bool { return true })
}

// servers returns those servers that are wanted, in one pass over what is listed: with
// 200 servers of 50 tools, a search for the tools of each would be two million steps.
func (g *Gateway) servers(wanted func(name string) bool) []Server {
	offer, view, pins := g.door.Offer(), g.registry.Now(), g.ledger.Pins()
	offered := map[[2]string][]string{}
	for _, set := range offer.Sets {
		for _, t := range set.Tools {
			at := [2]string{t.Origin().Upstream, t.Origin().Tool}
			if wanted(at[0]) {
				offered[at] = append(offered[at], cmp.Or(set.ID, "exposed"))
			}
		}
	}
	withheld := map[string][]exposure.Withheld{}
	for i := range offer.Withheld {
		if w := &offer.Withheld[i]; wanted(w.Upstream) {
			withheld[w.Upstream] = append(withheld[w.Upstream], *w)
		}
	}
	listed := map[string]int{} // the place in offer.Servers
	for i := range offer.Servers {
		listed[offer.Servers[i].Name] = i
	}
	var all []Server
	for _, r := range view.Upstreams {
		if !wanted(r.Name()) {
			continue
		}
		s := Server{Registration: r, ScanWith: exposure.ScanCommand(&r.Config), Unset: g.unset(r.Config), LastUsed: g.registry.LastUsed(r.Name()), Exposure: view.Exposure(r.Name())}
		if i, is := listed[r.Name()]; is {
			known := &offer.Servers[i]
			s.Risk, s.Scan, s.Truncated, s.Faults = riskOf(known.Preview), known.Scan, known.Truncated, known.Faults
			for tool, risk := range known.Risks {
				s.Tools = append(s.Tools, ToolView{tool, risk.Level, pins.State(r.Name(), tool), offered[[2]string{r.Name(), tool}]})
			}
		}
		if n := s.unpinned(); n > 0 {
			s.Truncated = append(slices.Clip(s.Truncated), fmt.Sprintf("%d of %d tools are not offered: a server has at most %d pins", n, len(s.Tools), ledger.MaxPins))
		}
		slices.SortFunc(s.Tools, func(a, b ToolView) int { return strings.Compare(a.Name, b.Name) })
		s.Withheld = withheld[r.Name()]
		if u := g.door.Server(r.Name()); u != nil {
			s.Health = healthOf(u)
		}
		if listed, why := g.door.Known(r.Name()); listed != nil || why != "" {
			s.Failed = why
			if listed != nil {
				s.Listed = listed.Listed
			}
		}
		all = append(all, s)
	}
	return all
}

// unset returns the variables that a configuration refers to and that are not set.
func (g *Gateway) unset(c upstream.Config) (names []string) {
	for _, text := range append([]string{c.URL, c.Auth.ClientID, c.Auth.ClientSecret}, c.Command...) {
		names = append(names, catalog.References(text)...)
	}
	for _, group := range []map[string]string{c.Env, c.Headers} {
		for _, value := range group {
			names = append(names, catalog.References(value)...)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		_, set := catalog.FirstOf(g.options.Reach.Lookup)(name)
		return set
	})
}

// Server returns one registered server.
func (g *Gateway) Server(ctx context.Context, name string) (Server, error) {
	found := g.servers(func(of string) bool { return of == name })
	if len(found) == 0 {
		return Server{}, g.noServer(name)
	}
	s := found[0]
	var err error
	s.SignIn, err = g.signIn(ctx, &s.Registration)
	return s, err
}

func (g *Gateway) noServer(name string) error {
	var names []string
	for _, r := range g.registry.Now().Upstreams {
		names = append(names, r.Name())
	}
	err := fmt.Errorf("upstream %q: %w", name, exposure.ErrNone)
	if len(names) == 0 {
		return fmt.Errorf("%w; there are none yet: glovebox upstream add", err)
	}
	return fmt.Errorf("%w; there are %s", err, strings.Join(names, ", "))
}

// Preview scores a registration that is not kept.
func Preview(r exposure.Registration, catalog []servers.Entry, now time.Time) Risk {
	return riskOf(exposure.PreviewOf(r, false, time.Time{}, now, catalog))
}

// Add registers a server. It is not reached.
func (g *Gateway) Add(ctx context.Context, r exposure.Registration) (Server, error) {
	if err := r.Config.Check(); err != nil {
		return Server{}, &BadInput{err}
	}
	if err := g.registry.Add(ctx, r); err != nil {
		return Server{}, err
	}
	g.door.Admit()
	return g.Server(ctx, r.Name())
}

// BadInput is an error in what the operator wrote.
type BadInput struct{ Err error }

func (e *BadInput) Error() string { return strings.ReplaceAll(e.Err.Error(), "\n", "; ") }

// Unwrap returns the cause.
func (e *BadInput) Unwrap() error { return e.Err }

// SetState enables, disables or quarantines a server.
func (g *Gateway) SetState(ctx context.Context, name, by string, to exposure.State) error {
	err := g.registry.Update(ctx, name, func(r *exposure.Registration) error {
		r.State, r.By = to, by
		return nil
	})
	if err == nil {
		g.door.Admit()
	}
	return g.named(name, err)
}

// named adds the names that there are to an error about a missing one.
func (g *Gateway) named(name string, err error) error {
	if errors.Is(err, exposure.ErrNone) {
		return g.noServer(name)
	}
	return err
}

// Remove forgets a server, what is exposed of it and its sign-in, and ends its connection. Its pins
// stay, so that it is no stranger if it comes back, unless forget is set.
func (g *Gateway) Remove(ctx context.Context, name string, forget bool) error {
	r := g.registry.Now().Upstream(name)
	if err := g.named(name, g.registry.Remove(ctx, name)); err != nil {
		return err
	}
	g.door.Admit()
	if err := g.forgetSignIn(ctx, r); err != nil {
		return err
	}
	if forget {
		return g.ledger.Forget(ctx, name, "")
	}
	return nil
}

// Test reaches a server, has it list everything, pins what it sees and says what became
// of it.
func (g *Gateway) Test(ctx context.Context, name string) (Server, error) {
	r := g.registry.Now().Upstream(name)
	switch {
	case r == nil:
		return Server{}, g.noServer(name)
	case r.State != exposure.Enabled:
		return Server{}, notReached(r)
	}
	if g.door.Server(name) == nil {
		g.door.Admit()
	}
	if _, err := g.door.List(ctx, name); err != nil {
		return Server{}, err
	}
	return g.Server(ctx, name)
}

func notReached(r *exposure.Registration) error {
	return fmt.Errorf("upstream %q is %s, so it is not reached: look at it with glovebox upstream show %[1]s, then glovebox upstream enable %[1]s", r.Name(), r.State)
}

// Expose changes what is offered of a server to clients that name no composition.
func (g *Gateway) Expose(ctx context.Context, upstream, by string, f func(*exposure.Exposure) error) (Server, error) {
	if g.registry.Now().Upstream(upstream) == nil {
		return Server{}, g.noServer(upstream)
	}
	if err := g.registry.Expose(ctx, upstream, by, f); err != nil {
		return Server{}, err
	}
	g.door.Admit()
	return g.Server(ctx, upstream)
}

// CompositionView is a composition as an operator sees it.
type CompositionView struct {
	exposure.Composition
	Offered  []string            `json:"offered,omitempty"` // names of tools
	Withheld []exposure.Withheld `json:"withheld,omitempty"`
}

// Compositions returns all compositions.
func (g *Gateway) Compositions() []CompositionView {
	offer, view := g.door.Offer(), g.registry.Now()
	var all []CompositionView
	for _, c := range view.Compositions {
		v := CompositionView{Composition: c}
		if set := offer.Set(c.Name); set != nil {
			for _, t := range set.Tools {
				v.Offered = append(v.Offered, t.About().Name)
			}
		}
		for _, w := range offer.Withheld {
			if w.Set == c.Name {
				v.Withheld = append(v.Withheld, w)
			}
		}
		all = append(all, v)
	}
	return all
}

// Composition returns one composition.
func (g *Gateway) Composition(name string) (CompositionView, error) {
	for _, c := range g.Compositions() {
		if c.Name == name {
			return c, nil
		}
	}
	return CompositionView{}, fmt.Errorf("composition %q: %w; glovebox composition show lists all", name, exposure.ErrNone)
}

// Compose changes a composition; create makes it first.
func (g *Gateway) Compose(ctx context.Context, name, by string, create bool, f func(*exposure.Composition) error) (CompositionView, error) {
	var err error
	if create {
		c := exposure.Composition{Name: name, Origin: exposure.ByCommand, By: by}
		if err = f(&c); err == nil {
			err = g.registry.CreateComposition(ctx, c)
		}
	} else {
		err = g.registry.UpdateComposition(ctx, name, by, f)
	}
	if err != nil {
		return CompositionView{}, err
	}
	g.door.Admit()
	return g.Composition(name)
}

// Enable enables a composition if everything in it can be offered, or says why not.
func (g *Gateway) Enable(ctx context.Context, name, by string) (CompositionView, error) {
	if g.registry.Now().Composition(name) == nil {
		_, err := g.Composition(name)
		return CompositionView{}, err
	}
	withheld, err := g.door.Enable(ctx, name, by)
	if err != nil {
		return CompositionView{}, err
	}
	c, err := g.Composition(name)
	if err == nil && len(withheld) > 0 {
		c.Withheld = withheld
	}
	return c, err
}

// DeleteComposition forgets a composition.
func (g *Gateway) DeleteComposition(ctx context.Context, name string) error {
	err := g.registry.DeleteComposition(ctx, name)
	g.door.Admit()
	return err
}
