//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
	"github.com/glovebox-run/glovebox/mcpserver/tokens"
	"github.com/glovebox-run/glovebox/risk/fingerprint"
	"github.com/glovebox-run/glovebox/risk/live"
)

// keeping is what one server keeps in the cluster, as it keeps it.
type keeping struct {
	tokens *tokens.Book
	pins   *ledger.Ledger
	shelf  *labels.Shelf
}

func keepingAt(t *testing.T, url string) *keeping {
	t.Helper()
	for started := time.Now(); ; {
		s, err := store.Connect(t.Context(), store.Cluster{URL: url, Replicas: 3})
		if err == nil {
			k := &keeping{}
			if k.tokens, err = tokens.Open(t.Context(), s, time.Now); err == nil {
				err = k.tokens.Follow(t.Context(), func(err error) { t.Error(err) })
			}
			if err == nil {
				k.pins, err = ledger.Open(t.Context(), s, time.Now)
			}
			if err == nil {
				k.shelf, err = labels.OpenShelf(t.Context(), s)
			}
			if err == nil {
				t.Cleanup(s.Close)
				return k
			}
			s.Close()
		}
		if time.Since(started) > healing {
			t.Fatal(err)
		}
	}
}

// thing is what may be used from one moment on and no longer from another: a token, a
// pinned tool, a session.
type thing interface {
	allow(ctx context.Context, at *keeping) error
	forbid(ctx context.Context, at *keeping) error
	// use says whether it may be used; an error is that nobody knows.
	use(ctx context.Context, at *keeping) (bool, error)
	staleness() time.Duration
}

type token struct{ name, text string }

func (k *token) allow(ctx context.Context, at *keeping) (err error) {
	_, k.text, err = at.tokens.Create(ctx, tokens.Token{Name: k.name, By: "test"})
	return err
}

func (k *token) forbid(ctx context.Context, at *keeping) error {
	return at.tokens.Revoke(ctx, k.name)
}

func (k *token) use(ctx context.Context, at *keeping) (bool, error) {
	if err := at.tokens.Fresh(ctx, k.text); err != nil {
		return false, err
	}
	_, _, ok := at.tokens.Find(k.text)
	return ok, nil
}

func (*token) staleness() time.Duration { return store.Staleness }

type pin struct {
	server string
	seen   ledger.Sighting
}

func newPin(t *testing.T, server string) *pin {
	raw := []byte(`{"name":"t","description":"Reads.","inputSchema":{"type":"object"}}`)
	ours, err := fingerprint.Of(raw)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := fingerprint.Reference(raw)
	if err != nil {
		t.Fatal(err)
	}
	return &pin{server, ledger.Sighting{Tool: "t", Raw: raw, Ours: ours, Reference: reference}}
}

func (p *pin) allow(ctx context.Context, at *keeping) error {
	_, err := at.pins.Observe(ctx, p.server, []ledger.Sighting{p.seen}, ledger.Policy{TrustFirst: true}, false)
	return err
}

func (p *pin) forbid(ctx context.Context, at *keeping) error {
	return at.pins.Revoke(ctx, p.server, "t", "", "test")
}

func (p *pin) use(ctx context.Context, at *keeping) (bool, error) {
	err := at.pins.Accepted(ctx, p.server, "t", p.seen.Ours.Hash)
	if errors.Is(err, ledger.ErrNotAccepted) {
		return false, nil
	}
	return err == nil, err
}

func (*pin) staleness() time.Duration { return store.Staleness }

type session string

func (s session) set(ctx context.Context, at *keeping, killed ...live.Kill) error {
	h, revision, err := at.shelf.Head(ctx, string(s))
	if err != nil {
		return err
	}
	h.Principal, h.Killed = string(s), killed
	_, err = at.shelf.Put(ctx, string(s), h, revision)
	return err
}

func (s session) allow(ctx context.Context, at *keeping) error { return s.set(ctx, at) }

func (s session) forbid(ctx context.Context, at *keeping) error {
	return s.set(ctx, at, live.Kill{Signal: live.ByOperator})
}

func (s session) use(ctx context.Context, at *keeping) (bool, error) {
	h, revision, err := at.shelf.Head(ctx, string(s))
	return revision > 0 && len(h.Killed) == 0, err
}

func (session) staleness() time.Duration { return 0 }

// The model: a thing may be used or not. A change of unknown outcome happens at any time,
// or never.
type (
	promiseIn struct {
		change, to bool
	}
	promiseOut struct {
		unknown, allowed bool
	}
)

var promiseModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{false} },
	Step: func(state, input, output any) []any {
		in, out := input.(promiseIn), output.(promiseOut)
		switch {
		case in.change && out.unknown:
			return []any{state, in.to}
		case in.change:
			return []any{in.to}
		case out.allowed != state.(bool):
			return nil
		}
		return []any{state}
	},
	Equal:             func(a, b any) bool { return a == b },
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v -> %+v", input, output) },
}

// promised is the history of one thing.
type promised struct {
	mu      sync.Mutex
	ops     []porcupine.Operation
	settled [3]int64 // when a server acknowledged a change last
}

func (p *promised) add(op porcupine.Operation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ops = append(p.ops, op)
}

// change is done by one server; the history says when it was acknowledged.
func (p *promised) change(ctx context.Context, servers []*keeping, r *rand.Rand, to bool, f func(context.Context, *keeping) error, clock func() int64) bool {
	n := r.IntN(len(servers))
	limit, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	op := porcupine.Operation{ClientId: 10, Input: promiseIn{true, to}, Call: clock()}
	err := f(limit, servers[n])
	op.Return, op.Output = clock(), promiseOut{unknown: err != nil}
	p.add(op)
	if err == nil {
		p.mu.Lock()
		p.settled[n] = op.Return + 1 // what is at one moment counts as at the same time
		p.mu.Unlock()
	}
	return err == nil
}

// try uses the thing at a server. What may be old there happened up to that much earlier,
// and not before a change that the same server has acknowledged.
func (p *promised) try(ctx context.Context, servers []*keeping, n, client int, x thing, clock func() int64) error {
	limit, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	p.mu.Lock()
	settled := p.settled[n]
	p.mu.Unlock()
	call := clock()
	allowed, err := x.use(limit, servers[n])
	if err != nil {
		return err
	}
	p.add(porcupine.Operation{ClientId: client, Input: promiseIn{}, Call: max(call-x.staleness().Nanoseconds(), settled, 0), Output: promiseOut{allowed: allowed}, Return: clock()})
	return nil
}

// TestServersKeepTheirPromises: no server admits a token, calls a tool or goes on with a
// session later than it says after another one has acknowledged that it must not, while
// members and links fail; and none refuses for longer than it takes to heal.
func TestServersKeepTheirPromises(t *testing.T) {
	lasts, seed := schedule(t)
	members := natstest.NewApart(t, member)
	var servers []*keeping
	var clients [][3]*natstest.Link
	for range 3 {
		links, url := members.Links()
		clients = append(clients, links)
		servers = append(servers, keepingAt(t, url))
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	began := time.Now()
	clock := func() int64 { return time.Since(began).Nanoseconds() }
	var mu sync.Mutex
	var all []*promised
	uses, refusals, changes := 0, map[store.Code]int{}, 0
	var work sync.WaitGroup
	for kind := range 3 {
		r := rand.New(rand.NewPCG(seed, uint64(kind)))
		work.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				x := []thing{&token{name: fmt.Sprint("t", n)}, newPin(t, fmt.Sprint("s", n)), session(fmt.Sprint("k", n))}[kind]
				p := &promised{}
				if !p.change(ctx, servers, r, true, x.allow, clock) {
					continue
				}
				var using sync.WaitGroup
				until, done := context.WithCancel(ctx)
				for client := range servers {
					using.Go(func() {
						for until.Err() == nil {
							err := p.try(until, servers, client, client, x, clock)
							if until.Err() != nil {
								return
							}
							mu.Lock()
							if uses++; err != nil {
								refusals[codeIn(err)]++
							}
							mu.Unlock()
							time.Sleep(30 * time.Millisecond)
						}
					})
				}
				pause(ctx, time.Duration(r.IntN(3000))*time.Millisecond)
				p.change(ctx, servers, r, false, x.forbid, clock)
				pause(ctx, store.Staleness+2*time.Second)
				done()
				using.Wait()
				mu.Lock()
				changes += 2
				all = append(all, p)
				mu.Unlock()
			}
		})
	}
	r := rand.New(rand.NewPCG(seed, 99))
	kinds, slowest := map[string]int{}, time.Duration(0)
	for n := 0; time.Since(began) < lasts; n++ {
		kinds[members.Disturb(r, clients)]++
		healed := time.Now()
		for at, k := range servers {
			for i, x := range []thing{&token{name: fmt.Sprint("after.", n, ".", at)}, session(fmt.Sprint("after.", n, ".", at))} {
				for x.allow(ctx, k) != nil {
					if time.Since(healed) > healing {
						t.Fatalf("server %d refuses %v after everything was put right (%d)", at, time.Since(healed), i)
					}
					x = []thing{&token{name: fmt.Sprint("again.", clock())}, x}[i]
				}
			}
		}
		slowest = max(slowest, time.Since(healed))
	}
	enough := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(all) >= 3
	}
	for started := time.Now(); !enough() && time.Since(started) < healing; time.Sleep(10 * time.Millisecond) {
	}
	stop()
	work.Wait()
	t.Logf("faults: %v; all servers could write %v after each at the latest", kinds, slowest.Round(time.Millisecond))
	t.Logf("%d things, %d changes, %d uses, refused for want of the cluster: %v", len(all), changes, uses, refusals)
	if len(all) < 3 {
		t.Error("hardly anything was done")
	}
	end := clock()
	for n, p := range all {
		for i := range p.ops {
			if p.ops[i].Output.(promiseOut).unknown {
				p.ops[i].Return = end
			}
		}
		if result, info := porcupine.CheckOperationsVerbose(promiseModel.ToModel(), p.ops, 3*time.Minute); result != porcupine.Ok {
			file := fmt.Sprintf("%s/promise%d.html", os.TempDir(), n)
			if err := porcupine.VisualizePath(promiseModel.ToModel(), info, file); err != nil {
				t.Error(err)
			}
			t.Errorf("the history of %d operations is %v: %s", len(p.ops), result, file)
		}
	}
}

// codeIn returns what the store says is wrong.
func codeIn(err error) store.Code {
	var e *store.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return store.Unreachable // the time of the caller was over
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
