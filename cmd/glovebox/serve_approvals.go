package main

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// stateFlags are the flags about what the server must not forget.
func (c *serveCommand) stateFlags(f *pflag.FlagSet) {
	f.DurationVar(&c.approvals.Wait, "approval-wait", 0, "how long a call waits for an operator when its client cannot ask anybody (default 2m)")
	f.DurationVar(&c.approvals.Grant, "approval-grant", 0, "how long an operator's yes can be used (default 15m)")
	f.StringVar(&c.cluster.URL, "nats", "", "keep approvals in the NATS cluster at `URL`, and publish audit records there (default in the state folder)")
	f.StringVar(&c.cluster.Credentials, "nats-credentials", "", "the `FILE` of credentials for the cluster")
	f.StringVar(&c.cluster.CA, "nats-ca", "", "a `FILE` of certificates that the cluster's must be signed by (default the system's)")
	f.StringVar(&c.cluster.Certificate, "nats-cert", "", "the `FILE` of the certificate to show the cluster")
	f.StringVar(&c.cluster.Key, "nats-key", "", "the `FILE` of its key")
	f.IntVar(&c.cluster.Replicas, "nats-replicas", 1, "on how many members of the cluster everything is kept")
}

// kept is what the server must not forget, while and after it is opened.
type kept struct {
	done  chan struct{}
	store *store.Store
	desk  *approve.Desk
	err   error
}

// keep begins to open the store, which takes as long as other things that are
// needed; get its result with wait.
func (c *serveCommand) keep(ctx context.Context, state string, log *slog.Logger) *kept {
	k := &kept{done: make(chan struct{})}
	go func() {
		defer close(k.done)
		if c.cluster.URL == "" {
			k.store, k.err = store.Open(ctx, filepath.Join(state, "store"), log)
		} else {
			cluster := c.cluster
			cluster.Logger = log
			k.store, k.err = store.Connect(ctx, cluster)
		}
		if k.err == nil {
			k.desk, k.err = approve.OpenDesk(ctx, k.store, c.approvals, time.Now)
		}
	}()
	return k
}

func (k *kept) wait() (*approve.Desk, error) {
	<-k.done
	return k.desk, k.err
}

func (k *kept) close() {
	<-k.done
	if k.store != nil {
		k.store.Close()
	}
}

// ready returns why calls cannot be put to people, if they cannot.
func (k *kept) ready() error {
	return k.store.Check(context.Background())
}
