package admission

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestRateAgainstAnObviousBucket: whatever comes when, the answers are those of a
// bucket that is filled drop by drop.
func TestRateAgainstAnObviousBucket(t *testing.T) {
	for seed := range uint64(50) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 2))
			burst := 1 + random.IntN(20)
			g := NewGate(Limits{Rate: 10, Burst: burst}) // a message each 100 ms
			// In hundredths of a message, so that 1 ms is a whole number.
			level, capacity := 100*burst, 100*burst
			for range 500 {
				pause := random.IntN(400)
				time.Sleep(time.Duration(pause) * time.Millisecond)
				level = min(capacity, level+pause)
				n := 1 + random.IntN(burst+2)
				err := g.Take("a", n)
				if passes := level >= 100*min(n, burst); passes != (err == nil) {
					t.Fatalf("seed %d: %d messages with %d of %d: %v", seed, n, level, capacity, err)
				}
				var refusal *Refusal
				switch {
				case err == nil:
					level -= 100 * n
				case !errors.As(err, &refusal) || refusal.Reason != TooFast:
					t.Fatal(err)
				case refusal.Retry != time.Duration(100*min(n, burst)-level)*time.Millisecond:
					t.Fatalf("seed %d: retry in %v with %d of %d for %d", seed, refusal.Retry, level, capacity, n)
				}
			}
		})
	}
}

func TestOneIsSlowedDownAndTheOtherIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(Limits{})
		passed := 0
		for range 20_000 {
			if g.Take("greedy", 1) == nil {
				passed++
			}
		}
		if passed != 10_001 {
			t.Errorf("%d passed at once, want the burst", passed)
		}
		if err := g.Take("modest", 1); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second)
		passed = 0
		for g.Take("greedy", 1) == nil {
			passed++
		}
		if passed != 2000 {
			t.Errorf("%d passed after a second, want the rate", passed)
		}
		if g := NewGate(Limits{Rate: -1}); g.Take("greedy", 1<<30) != nil {
			t.Error("no limit, and there is one")
		}
	})
}

// TestNobodyStarves: between the moment at which a call is the next of its
// principal and its start, every other principal starts at most one call, unless
// the principal runs all that it may. The principals come with random loads and
// one has far more than all others.
func TestNobodyStarves(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 3))
			limits := Limits{Parallel: 1 + random.IntN(6), Queue: 10_000, QueueInAll: 10_000}
			limits.PerPrincipal = 1 + random.IntN(limits.Parallel)
			g := NewGate(limits)
			var mu sync.Mutex
			var wg sync.WaitGroup
			running, most := map[string]int{}, 0
			queued := map[string][]int{}            // call numbers in the order of arrival
			bypassed := map[string]map[string]int{} // starts of others since it is next
			call := func(who string, number int, d time.Duration) {
				defer wg.Done()
				free, err := g.Slot(t.Context(), who)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if queued[who][0] != number {
					t.Errorf("seed %d: %s starts %d before %d", seed, who, number, queued[who][0])
				}
				queued[who] = queued[who][1:]
				bypassed[who] = map[string]int{}
				running[who]++
				sum := 0
				for _, n := range running {
					sum += n
				}
				most = max(most, sum)
				if sum > limits.Parallel || running[who] > limits.PerPrincipal {
					t.Errorf("seed %d: %v run", seed, running)
				}
				for other, calls := range queued {
					if other == who || len(calls) == 0 || running[other] >= limits.PerPrincipal {
						continue
					}
					if bypassed[other][who]++; bypassed[other][who] > 1 {
						t.Errorf("seed %d: %s overtakes %s %d times", seed, who, other, bypassed[other][who])
					}
				}
				mu.Unlock()
				time.Sleep(d)
				mu.Lock()
				running[who]--
				mu.Unlock()
				free()
			}
			start := func(who string, number int) {
				mu.Lock()
				if queued[who] = append(queued[who], number); bypassed[who] == nil {
					bypassed[who] = map[string]int{}
				}
				mu.Unlock()
				wg.Add(1)
				go call(who, number, time.Duration(1+random.IntN(20_000_000))) // no two end at one moment
				synctest.Wait()                                                // calls arrive one after the other
			}
			for n := range 100 {
				start("greedy", n)
			}
			for n := range 30 {
				time.Sleep(time.Duration(random.IntN(10_000_000)))
				start(fmt.Sprint("modest ", random.IntN(4)), n)
			}
			wg.Wait()
			if most != limits.Parallel && limits.PerPrincipal == limits.Parallel {
				t.Errorf("seed %d: at most %d of %d ran", seed, most, limits.Parallel)
			}
			checkEmpty(t, g)
		})
	}
}

// TestASecondPrincipalDoesNotWait: long calls of one leave room for another.
func TestASecondPrincipalDoesNotWait(t *testing.T) {
	g := NewGate(Limits{Parallel: 4})
	for range 3 {
		if _, err := g.Slot(t.Context(), "greedy"); err != nil {
			t.Fatal(err)
		}
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("no turn"))
	if _, err := g.Slot(ended, "greedy"); err == nil || err.Error() != "no turn" {
		t.Errorf("a fourth call of one principal: %v", err)
	}
	if _, err := g.Slot(ended, "modest"); err != nil {
		t.Error(err)
	}
}

func TestQueuesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(Limits{Parallel: 1, PerPrincipal: 1, Queue: 3, QueueInAll: 5})
		free, err := g.Slot(t.Context(), "first")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		refused := map[string]int{}
		var mu sync.Mutex
		for n := range 10 {
			who := []string{"a", "b"}[n/5]
			crowded := g.Crowded(who)
			go func() {
				free, err := g.Slot(ctx, who)
				var refusal *Refusal
				if err == nil {
					free()
				} else if errors.As(err, &refusal) {
					if refusal.Reason != TooManyWaiting || refusal.Seconds() < 1 || crowded == nil {
						t.Error(refusal, crowded)
					}
					mu.Lock()
					refused[who]++
					mu.Unlock()
				}
			}()
			synctest.Wait()
		}
		if refused["a"] != 2 || refused["b"] != 3 {
			t.Errorf("refused: %v", refused)
		}
		cancel()
		synctest.Wait()
		if g.waiting != 0 {
			t.Errorf("%d wait after they were cancelled", g.waiting)
		}
		free()
		free() // no second place
		checkEmpty(t, g)
	})
}

// TestCancelledAtAnyMoment: whatever is cancelled when, no place is lost.
func TestCancelledAtAnyMoment(t *testing.T) {
	g := NewGate(Limits{Parallel: 2, Queue: 1000, QueueInAll: 1000})
	var wg sync.WaitGroup
	for n := range 300 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(n), 4))
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(2000))*time.Microsecond)
			defer cancel()
			if free, err := g.Slot(ctx, fmt.Sprint(n%7)); err == nil {
				time.Sleep(time.Duration(random.IntN(100)) * time.Microsecond)
				free()
			}
		})
	}
	wg.Wait()
	checkEmpty(t, g)
}

// TestPrincipalsComeAndGo: the gate does not grow with those that were there once.
func TestPrincipalsComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(Limits{})
		most := 0
		for n := range 50_000 {
			who := fmt.Sprint("p", n)
			if err := g.Take(who, 1); err != nil {
				t.Fatal(n, err)
			}
			if free, err := g.Slot(t.Context(), who); err == nil {
				free()
			}
			time.Sleep(time.Millisecond) // a bucket is full again after a half
			most = max(most, len(g.accounts))
		}
		if most > 100 {
			t.Errorf("%d accounts at one time", most)
		}

		full := NewGate(Limits{})
		for n := range maxPrincipals {
			if err := full.Take(fmt.Sprint(n), 10_000); err != nil {
				t.Fatal(err)
			}
		}
		var refusal *Refusal
		if err := full.Take("one more", 1); !errors.As(err, &refusal) || refusal.Reason != TooManyClients {
			t.Error(err)
		}
		if err := full.Take("7", 1); err != nil {
			t.Errorf("one that is known: %v", err)
		}
		time.Sleep(10 * time.Second)
		if err := full.Take("one more", 1); err != nil || len(full.accounts) != 1 {
			t.Error(err, len(full.accounts))
		}
	})
}

func TestSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(Limits{Sessions: 2, SessionsInAll: 3})
		var ended []string
		open := func(who, name string) (*Session, func(), error) {
			time.Sleep(time.Second)
			s, done, err := g.Open(who)
			if err == nil {
				s.Keep(func() { ended = append(ended, name); s.Close() })
			}
			return s, done, err
		}
		want := func(names ...string) {
			t.Helper()
			if !slices.Equal(ended, names) {
				t.Fatalf("ended %v, want %v", ended, names)
			}
		}
		a1, doneA1, _ := open("a", "a1")
		_, doneA2, _ := open("a", "a2")
		var refusal *Refusal
		if _, _, err := open("a", ""); !errors.As(err, &refusal) || refusal.Reason != TooManySessions {
			t.Errorf("a third while both are in use: %v", err)
		}
		doneA1()
		time.Sleep(time.Second)
		doneA2()
		doneA2()
		if _, done, err := open("a", "a3"); err != nil {
			t.Fatal(err)
		} else {
			defer done()
		}
		want("a1") // idle for longer
		a1.Close()
		if _, _, err := open("b", "b1"); err != nil { // stays in use
			t.Fatal(err)
		}
		if _, _, err := open("b", "b2"); err != nil {
			t.Fatal(err)
		}
		want("a1", "a2") // the server was full
		if _, _, err := open("c", "c1"); !errors.As(err, &refusal) {
			t.Errorf("all are in use: %v", err)
		}
		if len(g.sessions) != 3 || g.accounts["a"].sessions != 1 || g.accounts["c"] != nil {
			t.Errorf("%d sessions, %v", len(g.sessions), g.accounts)
		}
	})
}

// TestOneSessionGivesWayToTheNext: with a limit of one, a thousand clients that
// crash leave one session.
func TestOneSessionGivesWayToTheNext(t *testing.T) {
	g := NewGate(Limits{Sessions: 1})
	ended := 0
	for range 1000 {
		s, done, err := g.Open("a")
		if err != nil {
			t.Fatal(err)
		}
		s.Keep(func() { ended++ })
		done()
	}
	if ended != 999 || len(g.sessions) != 1 || g.accounts["a"].sessions != 1 {
		t.Errorf("%d ended, %d open, %+v", ended, len(g.sessions), g.accounts["a"])
	}
}

// TestAPlaceThatIsNotKept is given back with the request that took it.
func TestAPlaceThatIsNotKept(t *testing.T) {
	g := NewGate(Limits{Sessions: 1})
	s, done, err := g.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	done()
	checkEmpty(t, g)
	if s.Keep(func() {}) {
		t.Error("kept afterwards")
	}
	s.Close()
	checkEmpty(t, g)
}

func checkEmpty(t *testing.T, g *Gate) {
	t.Helper()
	if g.running != 0 || g.waiting != 0 || g.turns.Len() != 0 || len(g.accounts) != 0 || len(g.sessions) != 0 {
		t.Errorf("left: %d running, %d waiting, %d turns, %d accounts, %d sessions", g.running, g.waiting, g.turns.Len(), len(g.accounts), len(g.sessions))
	}
}

// BenchmarkSlot is what every call pays.
func BenchmarkSlot(b *testing.B) {
	g := NewGate(Limits{})
	for b.Loop() {
		free, err := g.Slot(b.Context(), "a")
		if err != nil {
			b.Fatal(err)
		}
		free()
	}
}
