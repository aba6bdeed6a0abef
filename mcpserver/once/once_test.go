package once_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/once"
	"github.com/glovebox-run/glovebox/mcpserver/replica"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

const patience = time.Minute

var began = time.Now()

// member is one server of a cluster, with a clock that a test may set forward.
type member struct {
	*once.Cluster
	ahead atomic.Int64
}

func join(t *testing.T, address string) *member {
	t.Helper()
	s, err := store.Connect(t.Context(), store.Cluster{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	peers, err := replica.Join(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(peers.Leave)
	m := &member{}
	if m.Cluster, err = once.Open(t.Context(), s, peers, func() time.Duration { return time.Since(began) + time.Duration(m.ahead.Load()) }, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for started := time.Now(); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Since(started) > patience {
			t.Fatal(what)
		}
	}
}

func held(l *once.Lease) bool {
	_, _, held := l.Held()
	return held
}

// TestOneHasIt: of two that want a lease one has it; when it resigns the other one has it
// at once, with a larger number.
func TestOneHasIt(t *testing.T) {
	address := natstest.One(t, nil).ClientURL()
	a := join(t, address).Want("x", once.Wanting{})
	until(t, "nobody takes it", func() bool { return held(a) })
	_, first, _ := a.Held()
	b := join(t, address).Want("x", once.Wanting{})
	until(t, "the other one does not learn who has it", func() bool { o, _ := b.Owner(); return a.Mine(o) })
	if held(b) {
		t.Fatal("both have it")
	}
	a.Resign()
	if held(a) {
		t.Error("it has it although it resigned")
	}
	until(t, "the other one does not take it", func() bool { return held(b) })
	if _, number, _ := b.Held(); number <= first {
		t.Errorf("number %d comes after %d", number, first)
	}
	until(t, "the first one does not learn who has it", func() bool { o, _ := a.Owner(); return b.Mine(o) })
}

// TestALateOwnerKnows: one for which more time has passed than it may act does not hold
// the lease in the same moment, whatever it has noticed; it takes it again with another
// number, as nobody else was there.
func TestALateOwnerKnows(t *testing.T) {
	m := join(t, natstest.One(t, nil).ClientURL())
	l := m.Want("x", once.Wanting{})
	until(t, "nobody takes it", func() bool { return held(l) })
	_, first, _ := l.Held()
	m.ahead.Add(int64(once.Hold))
	if _, number, held := l.Held(); held && number == first {
		t.Fatal("it holds what it did not renew")
	}
	until(t, "it does not take it again", func() bool { return held(l) })
	if _, number, _ := l.Held(); number <= first {
		t.Errorf("number %d comes after %d", number, first)
	}
}

// TestAnOwnerThatIsSilent loses the lease, by the clock of the other one, and not before
// it must have stopped by its own.
func TestAnOwnerThatIsSilent(t *testing.T) {
	address := natstest.One(t, nil).ClientURL()
	s, err := store.Connect(t.Context(), store.Cluster{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := join(t, address)
	bucket, err := s.Bucket(t.Context(), store.BucketConfig{Name: "glovebox-leases", MaxValue: 1 << 10, MaxBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	silent, err := bucket.Create(t.Context(), "x", []byte(`{"member":"AAAAAAAAAA","host":"h","seat":"S"}`))
	if err != nil {
		t.Fatal(err)
	}
	l := b.Want("x", once.Wanting{})
	until(t, "it is not taken over", func() bool { return held(l) })
	if spent := time.Since(before); spent < once.Takeover {
		t.Errorf("it was taken over after %v", spent)
	}
	if _, number, _ := l.Held(); number <= silent {
		t.Errorf("number %d comes after %d", number, silent)
	}
}

type asker struct {
	told chan string
}

func (a asker) Tell(m json.RawMessage) { a.told <- string(m) }
func (a asker) Ask(_ context.Context, q json.RawMessage) (json.RawMessage, error) {
	if string(q) == `"no?"` {
		return nil, errors.New("not that")
	}
	return json.RawMessage(`{"to":` + string(q) + `}`), nil
}

// TestCarry: a request is answered where the lease is held, with what its handler tells
// and asks on the way; one that comes to a server without it, or to one that is no more,
// was not made.
func TestCarry(t *testing.T) {
	address := natstest.One(t, nil).ClientURL()
	owner, other := join(t, address), join(t, address)
	l := owner.Want("x", once.Wanting{})
	until(t, "nobody takes it", func() bool { return held(l) })
	var made atomic.Int32
	owner.Handle(l.Seat(), func(ctx context.Context, op string, number uint64, body []byte, c *once.Caller) (any, error) {
		if _, now, held := l.Held(); !held || now != number {
			return nil, once.ErrMoved
		}
		made.Add(1)
		c.Tell(json.RawMessage(`"told"`))
		answer, err := c.Ask(ctx, json.RawMessage(`"yes?"`))
		if err != nil {
			return nil, err
		}
		_, refused := c.Ask(ctx, json.RawMessage(`"no?"`))
		return fmt.Sprint(op, len(body), string(answer), refused), nil
	})
	to, changed := l.Owner()
	for _, size := range []int{1, 256 << 10, 3 << 20} {
		a := asker{make(chan string, 10)}
		got, err := other.Carry(t.Context(), to, changed, "do", make([]byte, size), a)
		if want := fmt.Sprintf(`"do%d{\"to\":\"yes?\"}not that"`, size); err != nil || string(got) != want {
			t.Errorf("%d bytes: %s, %v", size, got, err)
		}
		if told := <-a.told; told != `"told"` {
			t.Errorf("told %s", told)
		}
	}
	if _, err := other.Carry(t.Context(), once.Owner{Member: to.Member, Seat: to.Seat, Number: to.Number + 1}, changed, "do", []byte("{}"), nil); !errors.Is(err, once.ErrMoved) {
		t.Errorf("with another number: %v", err)
	}
	if _, err := other.Carry(t.Context(), once.Owner{Member: to.Member, Seat: "other", Number: to.Number}, changed, "do", []byte("{}"), nil); !errors.Is(err, once.ErrMoved) {
		t.Errorf("to another seat: %v", err)
	}
	if _, err := other.Carry(t.Context(), once.Owner{Member: "AAAAAAAAAA", Seat: to.Seat}, changed, "do", []byte("{}"), nil); !errors.Is(err, once.ErrMoved) {
		t.Errorf("to a server that is no more: %v", err)
	}
	if n := made.Load(); n != 3 {
		t.Errorf("%d requests were made", n)
	}
}

// TestAFrozenOwnerMakesNothingLater: a request that was given up because there is another
// owner is not made, although the server that it went to answers at last.
func TestAFrozenOwnerMakesNothingLater(t *testing.T) {
	address := natstest.One(t, nil).ClientURL()
	s, err := store.Connect(t.Context(), store.Cluster{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// A server that takes the request, and fetches the body only when it wakes.
	var opening struct{ Exchange string }
	opened := make(chan struct{})
	stop, err := s.Listen("glovebox.inner.AAAAAAAAAA", func(_ string, message []byte, reply func([]byte)) {
		if err := json.NewDecoder(bytes.NewReader(message)).Decode(&opening); err != nil {
			t.Error(err)
		}
		if bytes.Contains(message, []byte("the body")) {
			t.Error("the body goes with the head, so the server could make the request whenever it wakes")
		}
		reply([]byte("{}\n"))
		close(opened)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	moved, ended := make(chan struct{}), make(chan error, 1)
	m := join(t, address)
	go func() {
		_, err := m.Carry(t.Context(), once.Owner{Member: "AAAAAAAAAA", Seat: "S", Number: 1}, moved, "do", []byte("the body"), nil)
		ended <- err
	}()
	<-opened
	close(moved)
	if err := <-ended; !errors.Is(err, once.ErrMoved) {
		t.Fatalf("it ended with %v", err)
	}
	answer, err := s.Ask(t.Context(), opening.Exchange, []byte(`{"body":{"from":0,"to":8}}`+"\n"))
	if err != nil || string(answer) != `{"gone":true}`+"\n" {
		t.Errorf("what was given up is still given: %s, %v", answer, err)
	}
}
