package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/fingerprint"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// Codes of errors, as other processes see them.
const (
	CodeUnknown   = "unknown"     // there is none of that name
	CodeRefused   = "refused"     // it may not be done, or not now
	CodeInput     = "bad-input"   // what was asked for makes no sense
	CodeReach     = "unreachable" // the server could not be reached
	CodeUnderlies = "unavailable" // the store, or we ourselves
)

// Code returns the code of an error of [Gateway.Do].
func Code(err error) string {
	reach, bad := (*upstream.Error)(nil), (*BadInput)(nil)
	of := (*store.Error)(nil)
	switch {
	case errors.As(err, &bad):
		return CodeInput
	case errors.Is(err, exposure.ErrNone), errors.Is(err, ledger.ErrUnknown):
		return CodeUnknown
	case errors.As(err, &reach):
		return CodeReach
	case errors.As(err, &of), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return CodeUnderlies
	}
	return CodeRefused
}

// What verbs are asked with.
type (
	// Name names a server, a composition or, empty, all.
	Name struct {
		Name string `json:"name"`
	}
	// Removal forgets a server.
	Removal struct {
		Name string `json:"name"`
		Pins bool   `json:"pins"` // its pins too
	}
	// NewState is the state that a server gets.
	NewState struct {
		Name  string         `json:"name"`
		State exposure.State `json:"state"`
	}
	// Exposing changes what is offered of a server.
	Exposing struct {
		Upstream  string            `json:"upstream"`
		Tools     []exposure.Member `json:"tools,omitempty"` // added, or in place of what was said before
		Drop      []string          `json:"drop,omitempty"`  // tools
		Nothing   bool              `json:"nothing,omitempty"`
		All       bool              `json:"all,omitempty"`
		Approve   bool              `json:"approve,omitempty"`
		Prefix    *string           `json:"prefix,omitempty"`
		Resources bool              `json:"resources,omitempty"`
		Prompts   bool              `json:"prompts,omitempty"`
		Cap       mcp.Level         `json:"cap"`
	}
	// Composing makes or changes a composition.
	Composing struct {
		Name        string            `json:"name"`
		Create      bool              `json:"create,omitempty"`
		Description *string           `json:"description,omitempty"`
		Tools       []exposure.Member `json:"tools,omitempty"` // added, or in place of what was said before
		Drop        []exposure.Member `json:"drop,omitempty"`
		Resources   []string          `json:"resources,omitempty"`
		Prompts     []string          `json:"prompts,omitempty"`
		Cap         mcp.Level         `json:"cap"`
		Grade       *string           `json:"grade,omitempty"`
		Enabled     *bool             `json:"enabled,omitempty"`
	}
	// Tools names tools of a server.
	Tools struct {
		Server string   `json:"server"`
		Tools  []string `json:"tools,omitempty"`
		Reason string   `json:"reason,omitempty"`
	}
	// Approval accepts what a person was shown.
	Approval struct {
		Server string            `json:"server"`
		Tools  []ledger.Reviewed `json:"tools"`
	}
	// LockFile is the text of a lock file.
	LockFile struct {
		Text string `json:"text"`
	}
)

// none is the answer of verbs that only do something.
type none struct{}

// verbs are what other processes may ask for. by is the person behind them.
var verbs = map[string]func(g *Gateway, ctx context.Context, by string, body []byte) (any, error){
	"servers": verb(func(g *Gateway, ctx context.Context, _ string, in Name) (any, error) {
		if in.Name == "" {
			return append([]Server{}, g.Servers()...), nil
		}
		s, err := g.Server(ctx, in.Name)
		return []Server{s}, err
	}),
	"add": verb(func(g *Gateway, ctx context.Context, by string, in exposure.Registration) (any, error) {
		in.By = by
		return g.Add(ctx, in)
	}),
	"state": verb(func(g *Gateway, ctx context.Context, by string, in NewState) (any, error) {
		if err := g.SetState(ctx, in.Name, by, in.State); err != nil {
			return nil, err
		}
		return g.Server(ctx, in.Name)
	}),
	"remove": verb(func(g *Gateway, ctx context.Context, _ string, in Removal) (any, error) {
		return none{}, g.Remove(ctx, in.Name, in.Pins)
	}),
	"listed": verb(func(g *Gateway, _ context.Context, _ string, in Name) (any, error) { return g.Listed(in.Name) }),
	"test":   verb(func(g *Gateway, ctx context.Context, _ string, in Name) (any, error) { return g.Test(ctx, in.Name) }),
	"scan":   verb(func(g *Gateway, ctx context.Context, _ string, in Name) (any, error) { return g.Scan(ctx, in.Name) }),
	"scanned": verb(func(g *Gateway, ctx context.Context, _ string, _ none) (any, error) {
		var err error
		if g.options.Scanned != nil {
			err = g.options.Scanned(ctx)
		}
		g.door.Admit()
		return none{}, err
	}),
	"login": verb(func(g *Gateway, ctx context.Context, by string, in Name) (any, error) {
		return g.Login(ctx, in.Name, by)
	}),
	"login-wait": verb(func(g *Gateway, ctx context.Context, _ string, in Name) (any, error) {
		return g.LoginWait(ctx, in.Name)
	}),
	"logout": verb(func(g *Gateway, ctx context.Context, _ string, in Name) (any, error) {
		return none{}, g.Logout(ctx, in.Name)
	}),
	"expose": verb(func(g *Gateway, ctx context.Context, by string, in Exposing) (any, error) {
		return g.Expose(ctx, in.Upstream, by, in.apply)
	}),
	"compositions": verb(func(g *Gateway, _ context.Context, _ string, in Name) (any, error) {
		if in.Name == "" {
			return append([]CompositionView{}, g.Compositions()...), nil
		}
		c, err := g.Composition(in.Name)
		return []CompositionView{c}, err
	}),
	"compose": verb(func(g *Gateway, ctx context.Context, by string, in Composing) (any, error) {
		if in.Enabled != nil && *in.Enabled {
			return g.Enable(ctx, in.Name, by)
		}
		return g.Compose(ctx, in.Name, by, in.Create, in.apply)
	}),
	"decompose": verb(func(g *Gateway, ctx context.Context, _ string, in Name) (any, error) {
		return none{}, g.DeleteComposition(ctx, in.Name)
	}),
	"pins": verb(func(g *Gateway, _ context.Context, _ string, in Name) (any, error) { return g.Pins(in.Name) }),
	"diff": verb(func(g *Gateway, ctx context.Context, _ string, in Tools) (any, error) {
		return g.Differences(ctx, in.Server, in.Tools)
	}),
	"approve": verb(func(g *Gateway, ctx context.Context, by string, in Approval) (any, error) {
		return g.Approve(ctx, in.Server, in.Tools, by)
	}),
	"revoke": verb(func(g *Gateway, ctx context.Context, by string, in Tools) (any, error) {
		return none{}, g.Revoke(ctx, in.Server, in.Tools, in.Reason, by)
	}),
	"forget": verb(func(g *Gateway, ctx context.Context, _ string, in Tools) (any, error) {
		return none{}, g.Forget(ctx, in.Server, in.Tools)
	}),
	"lock":  verb(func(g *Gateway, _ context.Context, _ string, in Name) (any, error) { return g.Lock(in.Name) }),
	"check": verb(func(g *Gateway, _ context.Context, _ string, in LockFile) (any, error) { return g.CheckLock(in.Text) }),
}

// verb reads what a verb is asked with.
func verb[In any](do func(g *Gateway, ctx context.Context, by string, in In) (any, error)) func(*Gateway, context.Context, string, []byte) (any, error) {
	return func(g *Gateway, ctx context.Context, by string, body []byte) (any, error) {
		var in In
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&in); err != nil {
			return nil, &BadInput{fmt.Errorf("it cannot be read: %w; the two programs may be of different versions", err)}
		}
		return do(g, ctx, by, in)
	}
}

// Do does what another process asks for; by is the person behind it. The answer can be
// written as JSON.
func (g *Gateway) Do(ctx context.Context, by, name string, body []byte) (any, error) {
	do, known := verbs[name]
	if !known {
		return nil, &BadInput{fmt.Errorf("there is no verb %q; the two programs may be of different versions", name)}
	}
	answer, err := do(g, ctx, by, body)
	if errors.Is(err, fingerprint.ErrChangedAgain) {
		err = fmt.Errorf("%w; look at it again: glovebox pin diff", err)
	}
	return answer, err
}

// apply changes an exposure.
func (x Exposing) apply(e *exposure.Exposure) error {
	if x.Nothing {
		*e = exposure.Exposure{Upstream: e.Upstream, Origin: e.Origin}
	}
	e.All, e.Resources, e.Prompts = e.All || x.All, e.Resources || x.Resources, e.Prompts || x.Prompts
	if x.All {
		e.Approve = x.Approve
	}
	if x.Prefix != nil {
		e.Prefix = *x.Prefix
	}
	if x.Cap != mcp.Unrated {
		e.Cap = x.Cap
	}
	for _, m := range x.Tools {
		e.Tools = append(slices.DeleteFunc(e.Tools, func(o exposure.Member) bool { return o.Tool == m.Tool }), m)
	}
	for _, tool := range x.Drop {
		i := slices.IndexFunc(e.Tools, func(o exposure.Member) bool { return o.Tool == tool })
		switch {
		case i >= 0:
			e.Tools = slices.Delete(e.Tools, i, i+1)
		case e.All:
			return fmt.Errorf("all tools of %q are exposed; glovebox unexpose %s, and expose the ones that you want by name", e.Upstream, e.Upstream)
		default:
			return fmt.Errorf("%q of %q is not exposed: %w", tool, e.Upstream, exposure.ErrNone)
		}
	}
	return nil
}

// apply changes a composition.
func (x Composing) apply(c *exposure.Composition) error {
	if x.Description != nil {
		c.Description = *x.Description
	}
	if x.Cap != mcp.Unrated {
		c.Cap = x.Cap
	}
	if x.Grade != nil {
		c.Grade = *x.Grade
	}
	if x.Enabled != nil {
		c.Enabled = *x.Enabled
	}
	same := func(a exposure.Member) func(exposure.Member) bool {
		return func(b exposure.Member) bool { return a.Upstream == b.Upstream && a.Tool == b.Tool }
	}
	for _, m := range x.Tools {
		c.Members = append(slices.DeleteFunc(c.Members, same(m)), m)
	}
	for _, m := range x.Drop {
		if !slices.ContainsFunc(c.Members, same(m)) {
			return fmt.Errorf("%s/%s is not in %q: %w", m.Upstream, m.Tool, c.Name, exposure.ErrNone)
		}
		c.Members = slices.DeleteFunc(c.Members, same(m))
	}
	if x.Resources != nil {
		c.Resources = x.Resources
	}
	if x.Prompts != nil {
		c.Prompts = x.Prompts
	}
	return nil
}
