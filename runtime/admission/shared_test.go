package admission

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// letter is what one gate tells another, on its way.
type letter struct {
	to   int
	at   time.Time
	sent map[string]int
}

// cluster is gates that share a rate, over a network that takes its time.
type cluster struct {
	random *rand.Rand
	gates  []*Gate
	group  []int // gates of one group hear each other
	way    []letter
}

const (
	tellEvery = 250 * time.Millisecond
	slowest   = 150 * time.Millisecond // that a letter takes
)

func newCluster(seed uint64, n int, limits Limits) *cluster {
	c := &cluster{random: rand.New(rand.NewPCG(seed, 7)), group: make([]int, n)}
	for range n {
		c.gates = append(c.gates, NewGate(limits))
	}
	c.tell()
	return c
}

// tell has every gate know whom it hears, and sends what it has admitted.
func (c *cluster) tell() {
	for i, g := range c.gates {
		heard := 0
		sent := g.Spent()
		for j := range c.gates {
			if c.group[i] != c.group[j] {
				continue
			}
			heard++
			if i != j {
				c.way = append(c.way, letter{j, time.Now().Add(time.Duration(c.random.Int64N(int64(slowest)))), sent})
			}
		}
		g.Share(Sharing{Members: len(c.gates), Heard: heard, Unknown: tellEvery + slowest})
	}
}

func (c *cluster) deliver() {
	var later []letter
	for _, l := range c.way {
		if l.at.After(time.Now()) {
			later = append(later, l)
			continue
		}
		for who, n := range l.sent {
			c.gates[l.to].Charge(who, n)
		}
	}
	c.way = later
}

// run lets a client send as fast as it is let, to gates as pick says, and returns how many
// messages were admitted in each step.
func (c *cluster) run(steps int, step time.Duration, pick func(step int) (gate, messages int)) []int {
	all := make([]int, steps)
	for i := range steps {
		if time.Duration(i)*step%tellEvery == 0 {
			c.tell()
		}
		c.deliver()
		for range 2 * len(c.gates) {
			gate, n := pick(i)
			for range n {
				if c.gates[gate].Take("a", 1) == nil {
					all[i]++
				}
			}
		}
		time.Sleep(step)
	}
	return all
}

// most is the most that was admitted in any time beyond what the rate gives in it.
func most(admitted []int, perStep float64) (excess float64) {
	level := 0.0
	for _, n := range admitted {
		level = max(level, 0) + float64(n)
		excess = max(excess, level)
		level -= perStep
	}
	return excess
}

// TestGatesThatShareARate: however a client spreads its messages, in no time do all gates
// together admit more than the burst, the rate, and what the others could not know yet, also
// while they are cut off from one another; and while they hear each other, what they admit
// in the long run is the rate.
func TestGatesThatShareARate(t *testing.T) {
	for seed := range uint64(24) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 8))
			n, rate, burst := 1+random.IntN(5), float64(5+random.IntN(500)), 1+random.IntN(1000)
			c := newCluster(seed, n, Limits{Rate: rate, Burst: burst})
			const step, steps = 10 * time.Millisecond, 3000
			favourite := random.IntN(n)
			pick := func(i int) (int, int) {
				if i%500 == 0 {
					favourite = random.IntN(n)
				}
				if seed%2 == 0 {
					return favourite, random.IntN(100)
				}
				return random.IntN(n), random.IntN(100)
			}
			unknown := (tellEvery + slowest).Seconds()
			bound := float64(burst) + float64(n-1)*(max(float64(burst)/float64(n), 1)+rate*unknown) + rate*step.Seconds() + float64(n)
			admitted := c.run(steps, step, pick)
			if over := most(admitted, rate*step.Seconds()); over > bound {
				t.Errorf("seed %d: %d gates, rate %g, burst %d: %g at once, want %g", seed, n, rate, burst, over, bound)
			}
			sum := 0
			for _, k := range admitted {
				sum += k
			}
			least := 0.95
			if float64(burst) < rate { // what the others report comes in lumps larger than the bucket
				least = 0.5
			}
			if want := rate * steps * step.Seconds(); float64(sum) < least*want {
				t.Errorf("seed %d: %d gates, rate %g, burst %d: %d in all, want %g", seed, n, rate, burst, sum, want)
			}

			// Cut off at random, again and again, once what came before is paid.
			time.Sleep(time.Minute)
			var cut []int
			for range 4 {
				for i := range c.group {
					c.group[i] = random.IntN(n)
				}
				c.way = nil
				cut = append(cut, c.run(500, step, func(int) (int, int) { return random.IntN(n), random.IntN(100) })...)
			}
			// Who changes groups takes along what it has not paid for: each change may give
			// what one time of not knowing gives.
			if over := most(cut, rate*step.Seconds()); over > float64(burst)+4*bound {
				t.Errorf("seed %d, cut: %d gates, rate %g, burst %d: %g at once, want %g", seed, n, rate, burst, over, float64(burst)+4*bound)
			}
		})
	}
}

// TestAGateAloneInALargeClusterGivesItsPart, exactly, and a gate that has begun owes what
// the others know.
func TestAGateAloneInALargeClusterGivesItsPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate(Limits{Rate: 300, Burst: 600})
		g.Share(Sharing{Members: 3, Heard: 1, Unknown: time.Second})
		drain := func(g *Gate) (n int) {
			for g.Take("a", 1) == nil {
				n++
			}
			return n
		}
		if n := drain(g); n != 200 {
			t.Errorf("%d at once, want a third of the burst", n)
		}
		time.Sleep(time.Second)
		if n := drain(g); n != 100 {
			t.Errorf("%d in a second, want a third of the rate", n)
		}
		fresh := NewGate(Limits{Rate: 300, Burst: 600})
		g.Debts(fresh.Owe)
		if n := drain(fresh); n != 0 {
			t.Errorf("%d at once from a gate that has begun", n)
		}
		// Nobody is shut out for longer than is stated, whatever others say.
		fresh.Charge("a", 1<<62)
		fresh.Owe("a", 1<<62)
		fresh.Share(Sharing{Members: 1 << 40, Heard: -1, Unknown: 1 << 62})
		fresh.Share(Sharing{})
		time.Sleep(3*time.Second + 10*time.Millisecond) // two bursts, of which one is not in the way
		if n := drain(fresh); n == 0 {
			t.Error("it is shut out")
		}
		// A batch that is larger than everything is paid for without overflow.
		large := NewGate(Limits{Rate: 0.01, Burst: 1})
		large.Share(Sharing{Members: 1000, Heard: 1})
		if err := large.Take("a", 1<<40); err != nil || large.Take("a", 1) == nil {
			t.Error("a large batch", err)
		}
	})
}
