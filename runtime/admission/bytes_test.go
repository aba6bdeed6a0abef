package admission

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
)

// TestHoldAgainstAnObviousBudget: whoever takes and frees what, nobody has more than
// is left, one that has nothing needs no more than room, and the sums are right.
func TestHoldAgainstAnObviousBudget(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 5))
		g := NewGate(Limits{Bytes: 1000, BytesEach: 450})
		type one struct {
			who  string
			n    int64
			hold *Hold
		}
		var held []one
		sum := func(who string) (all, his int64) {
			for _, h := range held {
				if all += h.n; h.who == who {
					his += h.n
				}
			}
			return all, his
		}
		for range 500 {
			who := string(rune('a' + random.IntN(5)))
			n := int64(1 + random.IntN(300))
			all, his := sum(who)
			passes := func(more int64) bool {
				return all+more <= 1000 && his+more <= 450 && (his == 0 || his+more <= 1000-all-more)
			}
			switch i := random.IntN(len(held) + 1); {
			case i < len(held) && random.IntN(3) == 0: // resize
				h := &held[i]
				all, his = sum(h.who)
				err := h.hold.Resize(n)
				if want := n <= h.n || passes(n-h.n); want != (err == nil) {
					t.Fatalf("seed %d: %d to %d with %d of %d: %v", seed, h.n, n, his, all, err)
				}
				if err == nil {
					h.n = n
				}
			case i < len(held) && random.IntN(2) == 0:
				held[i].hold.Free()
				held = append(held[:i], held[i+1:]...)
			default:
				h, err := g.Hold(who, n)
				refusal := (*Refusal)(nil)
				if passes(n) != (err == nil) || err != nil && (!errors.As(err, &refusal) || refusal.Reason != TooManyBytes || refusal.Seconds() != 1) {
					t.Fatalf("seed %d: %d with %d of %d: %v", seed, n, his, all, err)
				}
				if err == nil {
					held = append(held, one{who, n, h})
				}
			}
			if all, _ := sum(""); g.Bytes() != all {
				t.Fatalf("seed %d: %d are held, want %d", seed, g.Bytes(), all)
			}
		}
		for _, h := range held {
			h.hold.Free()
		}
		if len(g.accounts) > 0 || g.Bytes() != 0 {
			t.Errorf("seed %d: %d accounts, %d bytes", seed, len(g.accounts), g.Bytes())
		}
	}
}

// TestOneFloodLeavesHalf, two a third.
func TestOneFloodLeavesHalf(t *testing.T) {
	g := NewGate(Limits{Bytes: 1200})
	for _, c := range []struct {
		who  string
		want int64
	}{{"a", 600}, {"b", 300}, {"c", 150}} {
		had := g.Bytes()
		for g.hasSome(c.who) {
		}
		if got := g.Bytes() - had; got != c.want {
			t.Errorf("%s got %d", c.who, got)
		}
	}
}

func (g *Gate) hasSome(who string) bool {
	_, err := g.Hold(who, 10)
	return err == nil
}

func TestSharedHold(t *testing.T) {
	g := NewGate(Limits{Bytes: 100})
	h, err := g.Hold("a", 50)
	if err != nil {
		t.Fatal(err)
	}
	free := h.Share()
	h.Free()
	if g.Bytes() != 50 {
		t.Error("freed although it is used")
	}
	free()
	free()
	if g.Bytes() != 0 {
		t.Error("it is still held")
	}
}

func TestWaitHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(Limits{Bytes: 100})
		first, err := g.WaitHold(t.Context(), "a", 1000) // more than anybody gets
		if err != nil || g.Bytes() != 50 {
			t.Fatal(err, g.Bytes())
		}
		got := make(chan error)
		go func() {
			_, err := g.WaitHold(t.Context(), "a", 30)
			got <- err
		}()
		synctest.Wait()
		select {
		case <-got:
			t.Fatal("it did not wait")
		default:
		}
		first.Free()
		if err := <-got; err != nil || g.Bytes() != 30 {
			t.Error(err, g.Bytes())
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			_, err := g.WaitHold(ctx, "a", 50)
			got <- err
		}()
		synctest.Wait()
		why := errors.New("why")
		cancel(why)
		if err := <-got; err != why {
			t.Error(err)
		}
	})
}

// TestLaneTakesTurns: one that has queued a hundred times holds another up once.
func TestLaneTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewLane(0)
		leave, err := l.Enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		queue := func(who string) {
			go func() {
				leave, err := l.Enter(t.Context(), who)
				if err == nil {
					order = append(order, who)
					leave()
					leave()
				}
			}()
			synctest.Wait()
		}
		for range 100 {
			queue("a")
		}
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, err := l.Enter(ctx, "c")
			gone <- err
		}()
		synctest.Wait()
		queue("b")
		queue("b")
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		leave()
		synctest.Wait()
		if len(order) != 102 || order[0] != "a" || order[1] != "b" || order[2] != "a" || order[3] != "b" {
			t.Errorf("%d: %v", len(order), order[:min(5, len(order))])
		}
		if l.free != 1 || len(l.queues) > 0 || l.turns.Len() > 0 {
			t.Errorf("%+v", l)
		}
	})
}
