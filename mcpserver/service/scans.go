package service

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// shareScans has the gateway keep scans in the cluster, and brings in those that this
// machine has kept by itself: before it joined, or by a verb that does not know of the
// cluster.
func (s *Service) shareScans(o *gateway.Options, st *store.Store) error {
	board, err := scans.Share(s.working, st)
	if err != nil {
		return err
	}
	o.Scores, o.Scans = board, scans.In(st, board)
	own, p := scans.Local(s.options.Place.Scans(), scans.Folder(s.options.Place.Scores())), s.options.Place
	var one sync.Mutex
	o.Scanned = func(ctx context.Context) error {
		one.Lock()
		defer one.Unlock()
		if _, err := os.Stat(p.Scans()); errors.Is(err, fs.ErrNotExist) {
			return nil // nothing was ever scanned here
		}
		from, close, err := own(ctx)
		if err != nil {
			return err
		}
		defer close()
		to, done, err := o.Scans(ctx)
		if err != nil {
			return err
		}
		defer done()
		n, err := to.BringIn(ctx, from, scans.Folder(p.Scores()))
		if n > 0 {
			s.observed.Logger().Info("scans.brought_in", "number", n)
		}
		return err
	}
	bring := o.Scanned
	go func() {
		// Whoever scans right now has the folder, and says so when it is done.
		if err := bring(s.working); err != nil && !errors.Is(err, store.Busy) && s.working.Err() == nil {
			s.observed.Logger().Warn("scans.not_brought_in", "cause", err)
		}
	}()
	return nil
}

// OperateScans opens the history of scans: that of the cluster if one is configured, or of
// this machine.
func OperateScans(ctx context.Context, l *config.Loaded, p Place) (*scans.History, func(), error) {
	folder := scans.Folder(p.Scores())
	if l.State.NATS.URL == "" {
		return scans.Local(p.Scans(), folder)(ctx)
	}
	s, err := store.Connect(ctx, Cluster(l, slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, nil, err
	}
	board, err := scans.Share(context.WithoutCancel(ctx), s) // ends with the store
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	h, _, err := scans.In(s, board)(ctx)
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return h, s.Close, nil
}
