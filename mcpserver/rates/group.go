package rates

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

const (
	// Every is how often a server tells the others what it has admitted.
	Every = 250 * time.Millisecond
	// Silence is after what time without a word another server counts as cut off.
	Silence = time.Second
	// unknown is how old what is known of a server that is heard can be: the silence, the
	// time until it is looked at, and the way.
	unknown = Silence + 2*Every
	// Lifetime is how long the part of a server that says nothing is kept for it: the
	// lifetime of what it writes every second to say that it is a member. It is as long as
	// a change of the leader of the cluster takes, twice.
	Lifetime = 6 * time.Second
	renewal  = time.Second
	// settling is how long a server that begins waits for what the others know. They
	// answer at once.
	settling = Silence / 2

	maxMember  = 1 << 10 // bytes of one
	maxMembers = 1 << 20 // bytes of all of them
	maxPeers   = 1000
)

// Line carries messages between the servers of a cluster. See store.Store.
type Line interface {
	Tell(subject string, message []byte) error
	Listen(subject string, heard func(subject string, message []byte, reply func([]byte))) (stop func(), err error)
}

// Group is the servers that share rates, as one of them sees it. It is safe for concurrent
// use.
type Group struct {
	name   string
	line   Line
	bucket *store.Bucket
	log    *slog.Logger
	deaf   []func() // end listening

	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	gate    *admission.Gate // nil until Keep
	peers   map[string]*peer
	number  uint64 // of the last message to all
	answers int    // from those who were asked what is owed
	news    chan struct{}
	sharing admission.Sharing // as it was last logged
}

// peer is another server.
type peer struct {
	heard  time.Time // when it said the last thing that followed the one before
	number uint64    // of the last message
}

// Join begins to share rates with the other servers that use the same store. name must be
// different for each. log may be nil.
func Join(ctx context.Context, s *store.Store, name string, log *slog.Logger) (*Group, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	bucket, err := s.Bucket(ctx, store.BucketConfig{Name: "glovebox-members", TTL: Lifetime, MaxValue: maxMember, MaxBytes: maxMembers})
	if err != nil {
		return nil, err
	}
	g := &Group{name: name, line: s, bucket: bucket, log: log, peers: map[string]*peer{}, news: make(chan struct{}, 1)}
	g.life, g.end = context.WithCancel(context.WithoutCancel(ctx))
	for _, subject := range []string{toAll, subjectOf(name)} {
		stop, err := s.Listen(subject, g.heard)
		if err != nil {
			g.Leave()
			return nil, err
		}
		g.deaf = append(g.deaf, stop)
	}
	revision, err := bucket.Create(ctx, name, nil)
	if err != nil {
		g.Leave()
		return nil, err
	}
	others, err := bucket.Keys(ctx, store.All)
	if err != nil {
		g.Leave()
		return nil, err
	}
	g.mu.Lock()
	for _, other := range others {
		g.peer(other)
	}
	g.mu.Unlock()
	g.work.Go(func() { g.stay(revision) })
	return g, nil
}

// Keep shares the rate of a gate. It returns when the others have said what is owed there,
// or after half a second.
func (g *Group) Keep(ctx context.Context, gate *admission.Gate) {
	g.mu.Lock()
	g.gate = gate
	wanted := len(g.peers)
	g.mu.Unlock()
	g.share()
	g.tell(toAll, message{Begins: true})
	late := time.NewTimer(settling)
	defer late.Stop()
	for waiting := wanted > 0; waiting; {
		select {
		case <-g.news:
			g.mu.Lock()
			waiting = g.answers < wanted
			g.mu.Unlock()
		case <-late.C:
			waiting = false
		case <-ctx.Done():
			waiting = false
		}
	}
	g.share()
	g.work.Go(g.report)
}

// Leave tells the others that this server's part is theirs.
func (g *Group) Leave() {
	g.end()
	g.work.Wait()
	g.tell(toAll, message{Leaves: true})
	for _, stop := range g.deaf {
		stop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), renewal)
	defer cancel()
	// If it fails, what is there ends by itself.
	_ = g.bucket.Erase(ctx, g.name)
}

// report tells the others what was admitted, for as long as the server is a member.
func (g *Group) report() {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	for {
		select {
		case <-g.life.Done():
			return
		case <-tick.C:
		}
		g.share()
		sent := false
		for spent := range parts(g.gate.Spent()) {
			sent = true
			g.tell(toAll, message{Spent: spent})
		}
		if !sent {
			g.tell(toAll, message{}) // that it is here
		}
	}
}

// share has the gate know how many servers there are.
func (g *Group) share() {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := admission.Sharing{Members: 1 + len(g.peers), Heard: 1, Unknown: unknown}
	for _, p := range g.peers {
		if time.Since(p.heard) <= Silence {
			now.Heard++
		}
	}
	if g.gate != nil {
		g.gate.Share(now)
	}
	if now != g.sharing {
		g.sharing = now
		g.log.Info("rate.shared", "servers", now.Members, "heard", now.Heard)
	}
}

// Sharing returns with whom the rate is shared.
func (g *Group) Sharing() admission.Sharing {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sharing
}

// peer finds or adds another server; nil if it is none. mu must be held.
func (g *Group) peer(name string) *peer {
	p := g.peers[name]
	if p == nil && name != g.name && name != "" && len(name) <= maxName && len(g.peers) < maxPeers {
		p = &peer{}
		g.peers[name] = p
	}
	return p
}

// stay says in the store every second that this server is a member, and takes the part of
// those that have stopped to say so. Both need a majority of the cluster: servers that are
// cut off from it go on with the part that they had.
func (g *Group) stay(revision uint64) {
	tick := time.NewTicker(renewal)
	defer tick.Stop()
	for {
		select {
		case <-g.life.Done():
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(g.life, Lifetime/2)
		next, err := g.bucket.Update(ctx, g.name, nil, revision)
		if errors.Is(err, store.Conflict) { // it has ended, or an answer was lost
			if next, err = g.bucket.Create(ctx, g.name, nil); errors.Is(err, store.Conflict) {
				var e store.Entry
				e, err = g.bucket.Latest(ctx, g.name)
				next = e.Revision
			}
		}
		if err == nil {
			revision = next
			g.prune(ctx)
		}
		cancel()
	}
}

// prune forgets servers that are not heard and are no members any more.
func (g *Group) prune(ctx context.Context) {
	var silent []string
	g.mu.Lock()
	for name, p := range g.peers {
		if time.Since(p.heard) > Silence {
			silent = append(silent, name)
		}
	}
	g.mu.Unlock()
	for _, name := range silent {
		if _, err := g.bucket.Latest(ctx, name); !errors.Is(err, store.NotFound) {
			continue
		}
		g.mu.Lock()
		if p := g.peers[name]; p != nil && time.Since(p.heard) > Silence {
			delete(g.peers, name)
		}
		g.mu.Unlock()
	}
}
