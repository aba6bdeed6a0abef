package admission

import (
	"container/list"
	"context"
	"sync"
	"time"
)

const (
	// maxPrincipals bounds the principals that are remembered; each takes a few
	// hundred bytes. Only authenticated ones come here.
	maxPrincipals = 1 << 16
	// retryBusy is after how long it is worth asking again for a place that
	// somebody has to leave first: nobody knows, and a second is no flood.
	retryBusy = time.Second
)

// Gate counts what principals do. It is safe for concurrent use.
type Gate struct {
	limits Limits
	each   time.Duration // between two messages at the rate; 0 for no limit

	mu       sync.Mutex
	accounts map[string]*account
	swept    int       // accounts that were left by the last sweep
	running  int       // calls
	waiting  int       // calls
	turns    list.List // of *account: those with calls that wait, whose turn is next first
	sessions map[*Session]struct{}
	bytes    int64         // of messages that are held
	room     chan struct{} // closed, and replaced, when bytes are freed
}

// account is what is known of one principal while it does something.
type account struct {
	name     string
	full     time.Time // when its bucket is full again
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

// NewGate returns a gate through which nobody has gone yet.
func NewGate(limits Limits) *Gate {
	g := &Gate{limits: limits.WithDefaults(), accounts: map[string]*account{}, sessions: map[*Session]struct{}{}, room: make(chan struct{})}
	g.each = time.Duration(float64(time.Second) / g.limits.Rate)
	return g
}

// Take lets n messages of a principal pass, or none of them. A batch that is
// larger than the burst passes when the bucket is full and is paid for afterwards.
// The error is a [*Refusal] or nil.
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
	// The bucket as the time at which it is full again: one number, no ticking.
	capacity := time.Duration(g.limits.Burst) * g.each
	least := time.Duration(min(n, g.limits.Burst)) * g.each
	if over := a.full.Add(least).Sub(now) - capacity; over > 0 {
		return &Refusal{TooFast, over}
	}
	a.full = a.full.Add(time.Duration(n) * g.each)
	return nil
}

// Slot waits for a call's turn to run; free must follow. The error is a
// [*Refusal] or why ctx ended.
func (g *Gate) Slot(ctx context.Context, principal string) (free func(), err error) {
	g.mu.Lock()
	a, err := g.account(principal)
	if err != nil {
		g.mu.Unlock()
		return nil, err
	}
	free = sync.OnceFunc(func() { g.leave(a) })
	// When there is room, whoever waits is at its own limit. A call that was
	// cancelled gets its turn as well if that is now: it is to be recorded.
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

// Calls returns how many calls run and how many wait.
func (g *Gate) Calls() (running, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running, g.waiting
}

// Crowded says whether a call of a principal would be refused now. It reserves
// nothing: it is for answers that must be given before a call is under way.
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

// leave hands the place of a call on.
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

// account finds or opens the account of a principal.
func (g *Gate) account(principal string) (*account, error) {
	if a := g.accounts[principal]; a != nil {
		return a, nil
	}
	// Those that only wait for their bucket to fill are swept out when twice as
	// many are there as the last sweep left, so a sweep costs each a constant.
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

// forget drops an account that is as good as a new one.
func (g *Gate) forget(a *account) {
	if a.running == 0 && a.queue.Len() == 0 && a.sessions == 0 && a.bytes == 0 && !a.full.After(time.Now()) {
		delete(g.accounts, a.name)
	}
}
