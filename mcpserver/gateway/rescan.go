package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/probe"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/glovebox-run/glovebox/risk/score"
	"github.com/glovebox-run/glovebox/risk/score/advisory"
)

// rescanTick is how often it is looked whether a server's scan is too old, at most.
const rescanTick = time.Minute

// rescan scans servers again whose last scan is older than every. Those that nobody
// ever scanned have nothing that a scan could differ from.
func (g *Gateway) rescan(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(min(every, rescanTick))
	defer tick.Stop()
	tried, told := map[string]time.Time{}, map[string]string{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, r := range g.registry.Now().Upstreams {
			last, err := g.options.Scores.Of(scans.TargetOf(&r.Config))
			if err != nil || last == nil || r.State != exposure.Enabled || time.Since(last.Seen) < every || time.Since(tried[r.Name()]) < every {
				continue
			}
			tried[r.Name()] = time.Now()
			_, err = g.Scan(ctx, r.Name())
			switch {
			case err == nil:
				delete(told, r.Name())
			case ctx.Err() == nil && g.options.Log != nil && told[r.Name()] != err.Error(): // once for each cause
				told[r.Name()] = err.Error()
				g.options.Log.Warn("upstream.not_rescanned", "server", r.Name(), "cause", err)
			}
		}
	}
}

// Scan scans a server as the gateway reaches it, with its headers and the tokens of its
// sign-in, and keeps the scan. Of a program it scores what its running process lists: a
// second process could want the same port or lock.
func (g *Gateway) Scan(ctx context.Context, name string) (score.Report, error) {
	var none score.Report
	if _, err := g.Test(ctx, name); err != nil {
		return none, err
	}
	u := g.door.Server(name)
	surface, why := g.door.Known(name)
	if u == nil || surface == nil {
		return none, fmt.Errorf("upstream %q lists nothing: %s", name, why)
	}
	o, err := g.observe(ctx, u, surface)
	if err != nil {
		return none, err
	}
	if !score.Evaluate(o, score.Refined, score.Background{}).Scored {
		return none, fmt.Errorf("upstream %q cannot be scanned: %s", name, failures(o))
	}
	known, err := advisory.Bundled()
	if err != nil {
		return none, err
	}
	history, done, err := g.options.Scans(ctx)
	if err != nil {
		return none, err
	}
	defer done()
	bg, _, err := history.Background(ctx, &o)
	if err != nil {
		return none, err
	}
	bg.Advisories = known
	report := score.Evaluate(o, score.Refined, bg)
	if _, err = history.Add(ctx, o, report); err == nil {
		g.door.Admit()
	}
	return report, err
}

func failures(o score.Observation) error {
	var all []error
	for _, f := range o.Failures {
		all = append(all, fmt.Errorf("%s: %s", f.At, f.Why))
	}
	return errors.Join(all...)
}

// observe looks at a server without calling a tool.
func (g *Gateway) observe(ctx context.Context, u *upstream.Upstream, listed *upstream.Surface) (score.Observation, error) {
	engine, err := egress.NewEngine(rules.Builtin())
	if err != nil {
		return score.Observation{}, err
	}
	reach := g.options.Reach
	o := probe.Options{Name: reach.Name, Version: reach.Version, Vantage: "the gateway", Resolve: reach.Resolve, Dial: reach.Dial, Roots: reach.Roots,
		Sanitiser: egress.New(engine, egress.DefaultPolicy()), Now: time.Now}
	target := scans.TargetOf(u.Config())
	if target.Kind == score.Stdio {
		hello := score.Hello{Era: listed.Era, Protocol: listed.Protocol, Server: listed.Server, Instructions: listed.Instructions, Capabilities: listed.Capabilities}
		return probe.New(o).Listed(target, hello, listing(listed.Tools), listing(listed.Resources), listing(listed.Prompts))
	}
	r, err := u.Reach()
	if err != nil {
		return score.Observation{}, err
	}
	o.AllowPrivate, o.Header, o.Tokens, o.Secrets = r.AllowPrivate, r.Header, r.Tokens, r.Secrets
	switch {
	case r.Tokens != nil:
		o.Depth = score.SignIn
	case len(r.Header) > 0:
		o.Depth = score.APIKey
	}
	seen, err := probe.New(o).HTTP(ctx, r.URL, target.Kind)
	seen.Target = target // with the names of variables, not their values
	return seen, err
}

// listing bounds what a scan keeps.
func listing(items []json.RawMessage) score.Listing {
	kept := items[:min(len(items), score.MaxItems)]
	return score.Listing{Asked: true, Items: kept, Pages: 1, More: len(kept) < len(items)}
}
