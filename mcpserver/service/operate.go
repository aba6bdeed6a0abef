package service

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/mcpserver/tokens"
)

// Operate opens the gateway of a state folder that no server owns, for an operator's
// verbs: nothing runs in the background, and no server is reached unless a verb says so.
// doing is the verb, for those who wait: while the gateway is open, no server can start
// from the folder. If one has started, the error is local.ErrOwned.
func Operate(ctx context.Context, of Options, doing string) (g *gateway.Gateway, done func(), err error) {
	l := of.Configuration
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
	observed, err := telemetry.OpenHere(ctx, telemetry.Config{LogFormat: l.Telemetry.LogFormat, LogLevel: l.Telemetry.LogLevel}, of.Version, cmp.Or(of.Log, io.Discard))
	if err != nil {
		return nil, nil, &SetupError{err}
	}
	closers = append(closers, func() { _ = observed.Close(ctx) })
	o, err := gatewayOptions(of, observed.Logger())
	if err != nil {
		return nil, nil, &SetupError{err}
	}
	var closeStore func()
	if o.Store, closeStore, err = openStore(ctx, of, doing, observed.Logger()); err != nil {
		return nil, nil, err
	}
	closers = append(closers, closeStore)
	o.Asleep, o.Reach.Outside = true, l.State.NATS.URL != ""
	if o.Reach.Outside {
		board, err := scans.Share(context.WithoutCancel(ctx), o.Store) // ends with the store
		if err != nil {
			return nil, nil, err
		}
		o.Scores, o.Scans = board, scans.In(o.Store, board)
	}
	if g, err = gateway.Open(ctx, o); err != nil {
		return nil, nil, err
	}
	closers = append(closers, g.Close)
	if err = g.Configure(l.Configured()); err == nil {
		err = g.Start(ctx)
	}
	return g, end, err
}

// OperateTokens is [Operate] for the named tokens.
func OperateTokens(ctx context.Context, of Options, doing string) (*tokens.Book, func(), error) {
	kept, done, err := openStore(ctx, of, doing, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	book, err := tokens.Open(ctx, kept, time.Now)
	if err != nil {
		done()
		return nil, nil, err
	}
	return book, done, nil
}

// openStore opens the store of a state folder that no server owns, or connects to that of
// a cluster.
func openStore(ctx context.Context, of Options, doing string, log *slog.Logger) (*store.Store, func(), error) {
	l, p := of.Configuration, of.Place
	if l.State.NATS.URL != "" {
		s, err := store.Connect(ctx, Cluster(l, log))
		if err != nil {
			return nil, nil, err
		}
		return s, func() { s.Close() }, nil
	}
	owner, err := Claim(ctx, p.State, doing)
	if errors.Is(err, local.ErrOwned) {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, &SetupError{err}
	}
	s, err := store.Open(ctx, p.Store(), log)
	if err != nil {
		_ = owner.Close()
		return nil, nil, err
	}
	return s, func() { s.Close(); _ = owner.Close() }, nil
}
