package admission

import (
	"time"
)

// The rate of one principal may hold for several gates together, each in a process of
// its own. Nobody is asked before a message is admitted: every gate charges itself for what
// the others say they have admitted, a moment later. What it does not know yet is bounded by
// a second, smaller bucket of its own.
//
// With R and B the rate and the burst, n gates, and D the time after which a gate that is not
// heard counts as such, all gates together admit in any time t at most
//
//	B + R*t + (n-1) * (B/n + R*D)
//
// and what is more than B + R*t is taken from what they admit afterwards.

// maxMembers bounds the gates that share a rate, so that no sum below overflows.
const maxMembers = 1000

// Sharing is with whom a gate shares its rate. The zero value is nobody.
type Sharing struct {
	// Members is how many gates there are, this one included, and Heard how many of them
	// are known to hear one another. Gates that hear each other have Heard of Members of the
	// rate, so that groups that are cut off from one another have no more than all of it.
	Members, Heard int
	// Unknown is how old at most is what is known of the others.
	Unknown time.Duration
}

func (s Sharing) bounded() Sharing {
	s.Members = min(max(s.Members, 1), maxMembers)
	s.Heard = min(max(s.Heard, 1), s.Members)
	s.Unknown = min(max(s.Unknown, 0), time.Minute)
	return s
}

// price is what one message takes from the buckets, in time, and what the buckets hold:
// the one of all gates, and the one of what this gate may admit before the others know.
func (g *Gate) price() (cost, all, own time.Duration) {
	s := g.sharing
	cost = g.each * time.Duration(s.Members) / time.Duration(s.Heard)
	all = max(time.Duration(g.limits.Burst)*g.each, cost)
	return cost, all, max(all/time.Duration(s.Heard), cost)
}

// Share sets with whom the rate is shared from now on.
func (g *Gate) Share(s Sharing) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sharing = s.bounded()
	if g.spent == nil && s.Members > 0 {
		g.spent = map[string]int{}
	}
}

// Spent returns how many messages of each principal were admitted since the last time, for
// the others to charge. There are none until [Gate.Share] was called.
func (g *Gate) Spent() map[string]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.spent) == 0 {
		return nil
	}
	all := g.spent
	g.spent = map[string]int{}
	return all
}

// Charge takes messages of a principal that another gate has admitted.
func (g *Gate) Charge(principal string, n int) {
	if g.each <= 0 || n <= 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	cost, _, _ := g.price()
	most := g.deepest()
	g.owe(principal, min(cost*time.Duration(min(n, int(most/cost)+1)), most), false)
}

// Owe has a principal owe as much as another gate says that it does, if that is more.
func (g *Gate) Owe(principal string, debt time.Duration) {
	if g.each <= 0 || debt <= 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.owe(principal, min(debt, g.deepest()), true)
}

// deepest is how much can be owed at most: two buckets, and what the others may have admitted
// before they were heard. Others cannot shut a principal out for longer.
func (g *Gate) deepest() time.Duration {
	_, all, _ := g.price()
	return 2*all + time.Duration(g.sharing.Members)*g.sharing.Unknown
}

func (g *Gate) owe(principal string, debt time.Duration, atLeast bool) {
	a, err := g.account(principal)
	if err != nil {
		return // its next message is refused
	}
	now := time.Now()
	full := now.Add(debt)
	if !atLeast && a.full.After(now) {
		full = a.full.Add(debt)
	}
	if most := now.Add(g.deepest()); full.After(most) {
		full = most
	}
	if full.After(a.full) {
		a.full = full
	}
}

// Debts calls f with what each principal owes, for a gate that has just begun.
func (g *Gate) Debts(f func(principal string, debt time.Duration)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	for name, a := range g.accounts {
		if debt := a.full.Sub(now); debt > 0 {
			f(name, debt)
		}
	}
}
