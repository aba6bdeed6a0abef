package service

import (
	"context"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/once"
	"github.com/glovebox-run/glovebox/mcpserver/rates"
	"github.com/glovebox-run/glovebox/mcpserver/replica"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/tokens"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

// kept is a server's persistent state, open or being opened.
type kept struct {
	done    chan struct{}
	store   *store.Store
	desk    *approve.Desk
	gateway *gateway.Gateway
	tokens  *tokens.Book
	replica *replica.Member // nil without a cluster
	once    *once.Cluster   // nil without a cluster
	rates   *rates.Group    // nil without a cluster
	err     error
}

// keep starts to open the store, which takes as long as the other parts of a start;
// get its result with wait.
func (s *Service) keep(ctx context.Context) *kept {
	l, p, observed := s.started, s.options.Place, s.observed
	k, log := &kept{done: make(chan struct{})}, observed.Logger()
	go func() {
		defer close(k.done)
		if l.State.NATS.URL == "" {
			k.store, k.err = store.Open(ctx, p.Store(), log)
		} else {
			k.store, k.err = store.Connect(ctx, Cluster(l, log))
		}
		if k.err == nil && l.State.NATS.URL != "" {
			k.replica, k.err = replica.Join(k.store, log)
		}
		if k.err == nil && k.replica != nil {
			k.once, k.err = once.Open(ctx, k.store, k.replica, process.Clock, log)
		}
		if k.err == nil && k.replica != nil {
			k.rates, k.err = rates.Join(ctx, k.store, k.replica.Name(), log)
		}
		if k.err == nil {
			k.desk, k.err = approve.OpenDesk(ctx, k.store, l.Approvals, time.Now)
		}
		if k.err == nil {
			k.tokens, k.err = tokens.Open(ctx, k.store, time.Now)
		}
		if k.err == nil {
			k.err = k.tokens.Follow(s.working, func(err error) { log.Error("token.unreadable", "cause", err) })
		}
		if k.err == nil {
			k.err = k.openGateway(s, k.store)
		}
	}()
	return k
}

func (k *kept) wait() (*approve.Desk, error) {
	<-k.done
	return k.desk, k.err
}

// opened returns the store once it is open.
func (k *kept) opened() (*store.Store, error) {
	<-k.done
	return k.store, k.err
}

func (k *kept) close() {
	<-k.done
	if k.gateway != nil && k.replica != nil {
		k.retire(lastCarried)
	}
	if k.rates != nil {
		k.rates.Leave()
	}
	if k.replica != nil {
		k.replica.Leave()
	}
	if k.gateway != nil {
		k.gateway.Close()
	}
	if k.once != nil {
		k.once.Close()
	}
	if k.store != nil {
		k.store.Close()
	}
}

// lastCarried is how long the requests of other servers go on, that are made here because
// a server of somebody else runs here, after all own calls have ended.
const lastCarried = 10 * time.Second

// retire gives servers that exist once in a cluster to others. What still runs after the
// time is cancelled.
func (k *kept) retire(most time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	k.gateway.Retire(ctx)
}

// ready returns why approval requests cannot be made, if they cannot.
func (k *kept) ready() error { return k.desk.Check(context.Background()) }
