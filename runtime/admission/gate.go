package admission

import (
	"container/list"
	"context"
	"math"
	"sync"
	"time"
)

const (
	// maxPrincipals bounds the principals kept in memory; each takes a few hundred
	// bytes. Only authenticated principals get here.
	maxPrincipals = 1 << 16
	// maxPrice bounds what a batch is charged, so that sums of times do not overflow.
	maxPrice = math.MaxInt64 / 8
	// retryBusy is the suggested retry delay when another call has to finish first.
	// Nobody knows how long that takes, and one retry a second is no flood.
	retryBusy = time.Second
)

// Gate applies the limits to principals. It is safe for concurrent use.
type Gate struct {
	limits Limits
	each   time.Duration // between two messages at the full rate; 0 for no limit

	mu       sync.Mutex
	sharing  Sharing
	spent    map[string]int // messages that other gates do not know of; nil if there are none
	accounts map[string]*account
	swept    int       // accounts left after the last sweep
	running  int       // calls
	waiting  int       // calls
	turns    list.List // of *account: those with waiting calls, next turn first
	sessions map[*Session]struct{}
	bytes    int64         // of messages in memory
	room     chan struct{} // closed, and replaced, when bytes are freed
}

// account is the state of one principal while it is active.
type account struct {
	name     string
	full     time.Time // when its bucket is full again
	own      time.Time // when the bucket of what only this gate knows is; never later
	running  int
	queue    list.List     // of *waiter, the oldest first
	turn     *list.Element // in Gate.turns; nil while queue is empty
	sessions int
	bytes    int64
}

type waiter struct {
	turn    chan struct{} // closed when it may run
	running bool
}

// NewGate returns a gate with no principals.
func NewGate(limits Limits) *Gate {
	g := &Gate{limits: limits.WithDefaults(), accounts: map[string]*account{}, sessions: map[*Session]struct{}{}, room: make(chan struct{}), sharing: Sharing{}.bounded()}
	g.each = time.Duration(float64(time.Second) / g.limits.Rate)
	return g
}

// Take admits n messages of a principal, or none. A batch larger than the burst is
// admitted when the bucket is full, and paid for afterwards. The error is a
// [*Refusal] or nil.
func (g *Gate) Take(principal string, n int) error {
	if g.each <= 0 || n <= 0 {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	a, err := g.account(principal)
	if err != nil {
		return err
	}
	now := time.Now()
	if a.full.Before(now) {
		a.full = now
	}
	if a.own.Before(now) {
		a.own = now
	}
	// A bucket is stored as the time at which it is full again: one number, no ticking.
	cost, all, own := g.price()
	least := time.Duration(min(n, int(own/cost))) * cost
	if over := least + max(a.full.Sub(now)-all, a.own.Sub(now)-own); over > 0 {
		return &Refusal{TooFast, over}
	}
	price := time.Duration(min(n, int(maxPrice/cost))) * cost
	a.full, a.own = a.full.Add(price), a.own.Add(price)
	if g.spent != nil {
		g.spent[principal] += n
	}
	return nil
}

// Slot waits for a call's turn to run; the caller must call free afterwards. The
// error is a [*Refusal] or the reason ctx ended.
func (g *Gate) Slot(ctx context.Context, principal string) (free func(), err error) {
	g.mu.Lock()
	a, err := g.account(principal)
	if err != nil {
		g.mu.Unlock()
		return nil, err
	}
	free = sync.OnceFunc(func() { g.leave(a) })
	// When there is room, every waiting principal is at its own limit. A cancelled call
	// whose turn comes now still gets it, so that it is recorded.
	if g.running < g.limits.Parallel && a.running < g.limits.PerPrincipal {
		g.running++
		a.running++
		g.mu.Unlock()
		return free, nil
	}
	if err := g.crowded(a); err != nil {
		g.mu.Unlock()
		return nil, err
	}
	w := &waiter{turn: make(chan struct{})}
	place := a.queue.PushBack(w)
	g.waiting++
	if a.turn == nil {
		a.turn = g.turns.PushBack(a)
	}
	g.mu.Unlock()

	select {
	case <-w.turn:
		return free, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.running { // at the same moment
		return free, nil
	}
	g.dequeue(a, place)
	g.forget(a)
	return nil, context.Cause(ctx)
}

// Calls returns how many calls are running and how many are waiting.
func (g *Gate) Calls() (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running, g.waiting
}

// Crowded reports whether a principal's call would be refused now. It reserves
// nothing: it is for replies that must be sent before a call starts.
func (g *Gate) Crowded(principal string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := g.accounts[principal]
	if a == nil {
		a = &account{}
	}
	if g.running < g.limits.Parallel && a.running < g.limits.PerPrincipal {
		return nil
	}
	return g.crowded(a)
}

func (g *Gate) crowded(a *account) error {
	if a.queue.Len() >= g.limits.Queue || g.waiting >= g.limits.QueueInAll {
		return &Refusal{TooManyWaiting, retryBusy}
	}
	return nil
}

// leave passes a call's slot on.
func (g *Gate) leave(a *account) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	a.running--
	// At most Parallel/PerPrincipal principals are skipped for being at their
	// limit, so this is short however many wait.
	for e := g.turns.Front(); e != nil && g.running < g.limits.Parallel; {
		next := e.Next()
		if b := e.Value.(*account); b.running < g.limits.PerPrincipal {
			place := b.queue.Front()
			w := place.Value.(*waiter)
			g.turns.MoveToBack(e)
			g.dequeue(b, place)
			g.running++
			b.running++
			w.running = true
			close(w.turn)
		}
		e = next
	}
	g.forget(a)
}

func (g *Gate) dequeue(a *account, place *list.Element) {
	a.queue.Remove(place)
	g.waiting--
	if a.queue.Len() == 0 {
		g.turns.Remove(a.turn)
		a.turn = nil
	}
}

// account finds or creates the account of a principal.
func (g *Gate) account(principal string) (*account, error) {
	if a := g.accounts[principal]; a != nil {
		return a, nil
	}
	// Accounts that only wait for their bucket to fill are swept once there are twice as
	// many accounts as the last sweep left, so sweeping costs each account a constant.
	if len(g.accounts) >= min(2*g.swept+64, maxPrincipals) {
		for _, a := range g.accounts {
			g.forget(a)
		}
		g.swept = len(g.accounts)
		if g.swept >= maxPrincipals {
			return nil, &Refusal{TooManyClients, retryBusy}
		}
	}
	a := &account{name: principal}
	g.accounts[principal] = a
	return a, nil
}

// forget drops an account that is no different from a new one.
func (g *Gate) forget(a *account) {
	if a.running == 0 && a.queue.Len() == 0 && a.sessions == 0 && a.bytes == 0 && !a.full.After(time.Now()) {
		delete(g.accounts, a.name)
	}
}
