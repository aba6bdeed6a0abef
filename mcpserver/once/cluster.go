package once

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/replica"
	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// Cluster is this server among those that share leases. It is safe for concurrent use.
type Cluster struct {
	bucket *store.Bucket
	peers  *replica.Member
	member string
	host   string
	clock  func() time.Duration
	log    *slog.Logger

	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	handlers map[string]Handler // by seat
	asking   map[string]*asking // questions to callers, by id
}

// Open joins the servers that share leases. clock must not stop while the process is
// frozen. log may be nil.
func Open(ctx context.Context, s *store.Store, peers *replica.Member, clock func() time.Duration, log *slog.Logger) (*Cluster, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	bucket, err := s.Bucket(ctx, store.BucketConfig{Name: "glovebox-leases", MaxValue: maxLease, MaxBytes: maxLeases})
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname() // shown to people; the name of the member tells servers apart
	c := &Cluster{bucket: bucket, peers: peers, member: peers.Name(), host: host, clock: clock, log: log, handlers: map[string]Handler{}, asking: map[string]*asking{}}
	c.life, c.end = context.WithCancel(context.WithoutCancel(ctx))
	peers.ServeInner(c)
	return c, nil
}

// Close gives all leases back that are still held.
func (c *Cluster) Close() {
	c.end()
	c.work.Wait()
}
