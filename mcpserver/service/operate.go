package service

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
)

// Operate opens the gateway of a state folder that no server owns, for an operator's
// verbs: nothing runs in the background, and no server is reached unless a verb says so.
// doing is the verb, for those who wait: while the gateway is open, no server can start
// from the folder. If one has started, the error is local.ErrOwned.
func Operate(ctx context.Context, of Options, doing string) (g *gateway.Gateway, done func(), err error) {
	l, p := of.Configuration, of.Place
	var closers []func()
	end := func() {
		for i := len(closers) - 1; i >= 0; i-- {
			closers[i]()
		}
	}
	defer func() {
		if err != nil {
			g, done = nil, nil
			end()
		}
	}()
	observed, err := telemetry.Open(ctx, telemetry.Config{LogFormat: l.Telemetry.LogFormat, LogLevel: l.Telemetry.LogLevel}, of.Version, cmp.Or(of.Log, io.Discard))
	if err != nil {
		return nil, nil, &SetupError{err}
	}
	closers = append(closers, func() { _ = observed.Close(ctx) })
	o, err := gatewayOptions(of, observed.Logger())
	if err != nil {
		return nil, nil, &SetupError{err}
	}
	if l.State.NATS.URL == "" {
		owner, err := Claim(ctx, p.State, doing)
		if errors.Is(err, local.ErrOwned) {
			return nil, nil, err
		}
		if err != nil {
			return nil, nil, &SetupError{err}
		}
		closers = append(closers, func() { _ = owner.Close() })
		o.Store, err = store.Open(ctx, p.Store(), observed.Logger())
		if err != nil {
			return nil, nil, err
		}
	} else if o.Store, err = store.Connect(ctx, Cluster(l, observed.Logger())); err != nil {
		return nil, nil, err
	}
	closers = append(closers, func() { o.Store.Close() })
	o.Asleep = true
	if g, err = gateway.Open(ctx, o); err != nil {
		return nil, nil, err
	}
	closers = append(closers, g.Close)
	if err = g.Configure(l.Configured()); err == nil {
		err = g.Start(ctx)
	}
	return g, end, err
}
