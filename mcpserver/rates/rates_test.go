package rates_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/rates"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// patience is how long a state is waited for on a busy machine.
const patience = time.Minute

// server is one of a group, with a gate of its own.
type server struct {
	*rates.Group
	gate  *admission.Gate
	store *store.Store
}

// rarely lets nothing come back to a bucket during a test.
var rarely = admission.Limits{Rate: 0.01, Burst: 300}

func join(t *testing.T, url, name string, replicas int) server {
	t.Helper()
	s, err := store.Connect(t.Context(), store.Cluster{URL: url, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	g, err := rates.Join(t.Context(), s, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	gate := admission.NewGate(rarely)
	g.Keep(t.Context(), gate)
	t.Cleanup(func() { g.Leave(); s.Close() })
	return server{g, gate, s}
}

// takes takes messages until there are no more.
func (s server) takes(who string, most int) (n int) {
	for n < most && s.gate.Take(who, 1) == nil {
		n++
	}
	return n
}

func (s server) shares(t *testing.T, members, heard int) {
	t.Helper()
	for started := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if now := s.Sharing(); now.Members == members && now.Heard == heard {
			return
		} else if time.Since(started) > patience {
			t.Fatalf("it shares with %+v, want %d and %d", now, members, heard)
		}
	}
}

// owes waits until a principal owes n messages at a server, of 100 s each. It is more if
// the machine stood still so long that the servers did not hear one another.
func (s server) owes(t *testing.T, who string, n int) {
	t.Helper()
	for started := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		owed := 0.0
		s.gate.Debts(func(name string, debt time.Duration) {
			if name == who {
				owed = debt.Seconds() / 100
			}
		})
		if owed > float64(n)-1 {
			return
		} else if time.Since(started) > patience {
			t.Fatalf("%s owes %g, want %d", who, owed, n)
		}
	}
}

// TestServersCountWhatTheOthersAdmit, also one that comes later, and the part of one that
// is gone comes back.
func TestServersCountWhatTheOthersAdmit(t *testing.T) {
	t.Parallel()
	cluster := natstest.One(t, nil)
	a, b := join(t, cluster.ClientURL(), "A", 1), join(t, cluster.ClientURL(), "B", 1)
	a.shares(t, 2, 2)
	b.shares(t, 2, 2)
	if n := a.takes("ada", 400); n != 150 {
		t.Fatalf("%d at once, want what one of two servers may admit before the other knows", n)
	}
	if n := b.takes("bob", 20); n != 20 {
		t.Fatal(n)
	}
	b.owes(t, "ada", 150)
	a.owes(t, "bob", 20)
	c := join(t, cluster.ClientURL(), "C", 1)
	c.owes(t, "ada", 150)
	c.owes(t, "bob", 20)
	for _, s := range []server{a, b, c} {
		s.shares(t, 3, 3)
	}
	if n := c.takes("ada", 400); n > 100 { // a third of the burst
		t.Errorf("%d at once from a server that came later", n)
	}
	if n := b.takes("eve", 400); n != 100 {
		t.Errorf("%d at once from one of three", n)
	}

	// One that leaves gives its part back at once, one that is killed when what it wrote
	// has ended.
	c.Leave()
	a.shares(t, 2, 2)
	b.store.Close()
	a.shares(t, 2, 1)
	a.shares(t, 1, 1)
	if n := a.takes("zoe", 400); n != 300 {
		t.Errorf("%d at once from a server that is alone", n)
	}
}

// TestServersThatAreCutOffHaveTheirPart: without a majority of the cluster nobody has more
// than a part, for as long as it lasts, and all of it when it is over.
func TestServersThatAreCutOffHaveTheirPart(t *testing.T) {
	t.Parallel()
	members := natstest.Three(t)
	a, b := join(t, members[0].ClientURL(), "A", 3), join(t, members[0].ClientURL(), "B", 3)
	a.shares(t, 2, 2)
	members[1].Shutdown()
	members[2].Shutdown()
	b.store.Close() // nobody can tell whether it is gone or cut off
	a.shares(t, 2, 1)
	until := time.Now().Add(rates.Lifetime + 4*rates.Silence) // without a majority nothing changes
	for time.Now().Before(until) {
		if now := a.Sharing(); now.Members != 2 {
			t.Fatalf("it shares with %+v", now)
		}
		time.Sleep(rates.Every)
	}
	if n := a.takes("ada", 400); n != 150 {
		t.Errorf("%d at once, want a half", n)
	}
}

// TestWhatStrangersSay changes nothing but what is charged, and that only so far.
func TestWhatStrangersSay(t *testing.T) {
	t.Parallel()
	cluster := natstest.One(t, nil)
	a := join(t, cluster.ClientURL(), "A", 1)
	a.shares(t, 1, 1)
	s, err := store.Connect(t.Context(), store.Cluster{URL: cluster.ClientURL()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, text := range []string{"", "null", "[]", `{"from":"A","spent":{"ada":1000}}`, `{"spent":{"ada":1000}}`, fmt.Sprintf(`{"from":%q}`, make([]byte, 100)), `{"from":"X","spent":{"ada":-5,"eve":9223372036854775807},"owed":{"bob":9223372036854775807}}`} {
		if err := s.Tell("glovebox.rates.all", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	a.shares(t, 2, 1) // X has said something, and no number
	if n := a.takes("ada", 400); n != 150 {
		t.Errorf("ada has %d", n)
	}
	a.shares(t, 1, 1) // X is no member
	deepest := 2*300*100*time.Second + time.Minute
	a.gate.Debts(func(who string, debt time.Duration) {
		if debt > deepest*2 {
			t.Errorf("%s owes %v", who, debt)
		}
	})
}
