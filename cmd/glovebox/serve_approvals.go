package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
)

// kept is what the server must not forget, while and after it is opened.
type kept struct {
	done  chan struct{}
	audit *store.Publisher // nil without a cluster
	store *store.Store
	desk  *approve.Desk
	err   error
}

// keep begins to open the store, which takes as long as other things that are
// needed; get its result with wait.
func (c *serveCommand) keep(ctx context.Context, state string, observed *telemetry.Telemetry) *kept {
	k, log := &kept{done: make(chan struct{})}, observed.Logger()
	if c.counts.State.NATS.URL != "" {
		k.audit = store.NewPublisher(log, observed.Unpublished)
	}
	go func() {
		defer close(k.done)
		if c.counts.State.NATS.URL == "" {
			k.store, k.err = store.Open(ctx, filepath.Join(state, "store"), log)
		} else {
			k.store, k.err = store.Connect(ctx, clusterOf(c.counts, log))
		}
		if k.err == nil && k.audit != nil {
			var records *store.Stream
			if records, k.err = k.store.Stream(ctx, store.StreamConfig{Name: "glovebox-audit", Subject: "glovebox.audit"}); k.err == nil {
				k.audit.Start(records)
			}
		}
		if k.err == nil {
			k.desk, k.err = approve.OpenDesk(ctx, k.store, c.counts.Approvals, time.Now)
		}
	}()
	return k
}

func clusterOf(l *config.Loaded, log *slog.Logger) store.Cluster {
	n := l.State.NATS
	return store.Cluster{
		URL: n.URL, Credentials: string(n.Credentials), CA: string(n.CA),
		Certificate: string(n.Certificate), Key: string(n.Key), Replicas: n.Replicas, Logger: log,
	}
}

func (k *kept) wait() (*approve.Desk, error) {
	<-k.done
	return k.desk, k.err
}

func (k *kept) close() {
	<-k.done
	if k.audit != nil {
		k.audit.Close()
	}
	if k.store != nil {
		k.store.Close()
	}
}

// recorded hears the lines of the audit; nil if nobody wants them.
func (k *kept) recorded() func(line []byte) {
	if k.audit == nil {
		return nil
	}
	return k.audit.Offer
}

// ready returns why calls cannot be put to people, if they cannot.
func (k *kept) ready() error {
	return k.store.Check(context.Background())
}
