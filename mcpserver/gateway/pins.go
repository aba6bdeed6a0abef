package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/risk/fingerprint"
)

// PinView is one pin as an operator sees it.
type PinView struct {
	ledger.Pin
	Standing ledger.State `json:"state"`
	// Orders says that the scanner acts on the definition: it reads like an attack.
	Orders bool `json:"reads_like_orders,omitempty"`
}

// Pins returns the pins of a server, or of all if it is empty.
func (g *Gateway) Pins(server string) ([]PinView, error) {
	pins := g.ledger.Pins()
	if server != "" && !pins.Known(server) {
		return nil, g.noPins(server)
	}
	if err := pins.Damage(server); err != nil {
		return nil, fmt.Errorf("%w; glovebox pin forget %s has its tools reviewed anew", err, server)
	}
	orders := map[[2]string]bool{}
	for _, known := range g.door.Offer().Servers {
		for _, t := range known.Tools {
			orders[[2]string{known.Name, t.Tool}] = t.ReadsLikeOrder
		}
	}
	all := []PinView{}
	for _, p := range pins.All(server) {
		all = append(all, PinView{*p, p.State(), orders[[2]string{p.Server, p.Tool}]})
	}
	return all, nil
}

func (g *Gateway) noPins(server string) error {
	if g.registry.Now().Upstream(server) == nil {
		return g.noServer(server)
	}
	return fmt.Errorf("%s: %w; nobody has listed it yet: glovebox upstream test %s", server, ledger.ErrUnknown, server)
}

// Difference is what a person reads before accepting a tool.
type Difference struct {
	PinView
	// Before is what was accepted, empty if nothing was; After is what the server sends.
	Before string `json:"before,omitempty"`
	After  string `json:"after"`
	fingerprint.Difference
}

// Differences explains the tools of a server that wait for a review, or the named ones.
func (g *Gateway) Differences(ctx context.Context, server string, tools []string) ([]Difference, error) {
	pins, err := g.Pins(server)
	if err != nil {
		return nil, err
	}
	all := []Difference{}
	for _, p := range pins {
		if len(tools) > 0 && !slices.Contains(tools, p.Tool) || len(tools) == 0 && p.Standing != ledger.New && p.Standing != ledger.Changed {
			continue
		}
		before, after, d, err := g.ledger.Diff(ctx, &p.Pin)
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", p.Server, p.Tool, err)
		}
		all = append(all, Difference{p, string(before), string(after), d})
	}
	for _, tool := range tools {
		if !slices.ContainsFunc(all, func(d Difference) bool { return d.Tool == tool }) {
			return nil, fmt.Errorf("%s/%s: %w", server, tool, ledger.ErrUnknown)
		}
	}
	return all, nil
}

// Approve accepts definitions that a person was shown.
func (g *Gateway) Approve(ctx context.Context, server string, tools []ledger.Reviewed, by string) (Server, error) {
	if !g.ledger.Pins().Known(server) {
		return Server{}, g.noPins(server)
	}
	if err := g.ledger.Approve(ctx, server, tools, by); err != nil {
		return Server{}, err
	}
	g.door.Admit()
	return g.Server(ctx, server)
}

// Revoke withdraws tools of a server.
func (g *Gateway) Revoke(ctx context.Context, server string, tools []string, reason, by string) error {
	var errs []error
	for _, tool := range tools {
		errs = append(errs, g.ledger.Revoke(ctx, server, tool, reason, by))
	}
	return errors.Join(errs...)
}

// Forget drops the pins of tools, or all of a server, also when they cannot be read.
func (g *Gateway) Forget(ctx context.Context, server string, tools []string) error {
	if !g.ledger.Pins().Known(server) {
		return g.noPins(server)
	}
	if len(tools) == 0 {
		return g.ledger.Forget(ctx, server, "")
	}
	var errs []error
	for _, tool := range tools {
		errs = append(errs, g.ledger.Forget(ctx, server, tool))
	}
	return errors.Join(errs...)
}

// Lock returns what was accepted, of a server or of all.
func (g *Gateway) Lock(server string) (ledger.Lock, error) {
	pins := g.ledger.Pins()
	if server != "" && !pins.Known(server) {
		return ledger.Lock{}, g.noPins(server)
	}
	return pins.Lock(server), nil
}

// CheckLock compares what was seen last with a lock file.
func (g *Gateway) CheckLock(text string) ([]ledger.Breach, error) {
	lock, err := ledger.ParseLock([]byte(strings.TrimSpace(text)))
	if err != nil {
		return nil, &BadInput{err}
	}
	return append([]ledger.Breach{}, lock.Check(g.ledger.Pins())...), nil
}

// TextAt returns the text at a JSON pointer in a definition.
func TextAt(definition, pointer string) string {
	v := gjson.Parse(definition)
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if step != "" {
			v = v.Get(gjson.Escape(strings.NewReplacer("~1", "/", "~0", "~").Replace(step)))
		}
	}
	return v.String()
}
