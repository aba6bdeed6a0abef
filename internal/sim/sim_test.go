package sim_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/internal/sim"
)

const (
	work  = 10 * time.Millisecond
	calls = 400_000
)

// near wants a number within a share of what a formula says. The standard error of the
// runs here is below a third of it.
func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*want {
		t.Errorf("%s: %v, the formula says %v", what, got, want)
	}
}

// queue is one station with c processors that are busy for a share of the time.
func queue(c int, share float64, w sim.Work) sim.System {
	return sim.System{Servers: 1, Processors: c, Rate: share * float64(c) / work.Seconds(), Kinds: []sim.Kind{{Share: 1, Before: w}}}
}

// TestOneProcessor: Pollaczek and Khinchine say how long calls wait at one processor, from
// the variance of the work: ρ/(1-ρ) · (1+C²)/2 times the work.
func TestOneProcessor(t *testing.T) {
	for _, busy := range []float64{.3, .6, .8} {
		for name, of := range map[string]struct {
			work     sim.Work
			variance float64
		}{"M/M/1": {sim.Exponential(work), 1}, "M/D/1": {sim.Constant(work), 0}} {
			r := sim.Run(queue(1, busy, of.work), calls, 1)
			near(t, name+" waiting", r.MeanWaited.Seconds(), busy/(1-busy)*(1+of.variance)/2*work.Seconds(), .06)
			near(t, name+" busy", r.ServerBusy, busy, .02)
			near(t, name+" waiters", r.ShareOfWaited, busy, .02) // Poisson arrivals see time averages
		}
	}
}

// TestTheTailOfOneProcessor: with exponential work the time of a call is exponential, too.
func TestTheTailOfOneProcessor(t *testing.T) {
	const busy = .7
	r := sim.Run(queue(1, busy, sim.Exponential(work)), calls, 2)
	mean := work.Seconds() / (1 - busy)
	near(t, "p50", r.P50.Seconds(), mean*math.Log(2), .06)
	near(t, "p99", r.P99.Seconds(), mean*math.Log(100), .10)
}

// TestSeveralProcessors: Erlang's C is the share of calls that wait.
func TestSeveralProcessors(t *testing.T) {
	for _, c := range []int{2, 4, 8} {
		const busy = .75
		load := busy * float64(c)
		term, sum := 1.0, 0.0 // load^k / k!
		for k := range c {
			sum += term
			term *= load / float64(k+1)
		}
		erlang := term / (1 - busy) / (sum + term/(1-busy))
		r := sim.Run(queue(c, busy, sim.Exponential(work)), calls, 3)
		near(t, "waiters", r.ShareOfWaited, erlang, .04)
		near(t, "waiting", r.MeanWaited.Seconds(), erlang*work.Seconds()/(float64(c)*(1-busy)), .08)
	}
}

// three is a whole system: three servers, a store of three with three copies, questions.
func three(servers int, rate float64) sim.System {
	return sim.System{
		Servers: servers, Processors: 2, Members: 3, Copies: 3, Write: sim.Exponential(time.Millisecond), Hop: 100 * time.Microsecond, Rate: rate,
		Kinds: []sim.Kind{{Share: 9, Before: sim.Constant(2 * time.Millisecond)}, {Share: 1, Before: sim.Exponential(2 * time.Millisecond), Writes: 2, After: sim.Constant(time.Millisecond)}},
	}
}

// TestLittlesLaw: the calls inside are the rate times how long each stays.
func TestLittlesLaw(t *testing.T) {
	r := sim.Run(three(3, 1500), calls, 4)
	near(t, "calls inside", r.Inside, r.Throughput*r.Mean.Seconds(), .005)
	near(t, "throughput", r.Throughput, 1500, .01)
	// Each write is work of 1 ms at each of three members, two writes for a tenth of the calls.
	near(t, "store", r.StoreBusy, 1500*.1*2*.001, .03)
	near(t, "servers", r.ServerBusy, 1500*(.9*2+.1*3)/1000/6, .02)
}

// TestWithoutLoad a call takes its work and its way: two writes are two hops to the leader and
// back, two to the first copy and back, and the work of the leader and of that copy.
func TestWithoutLoad(t *testing.T) {
	s := three(1, .1)
	s.Write, s.Kinds = sim.Constant(time.Millisecond), []sim.Kind{{Share: 1, Before: sim.Constant(2 * time.Millisecond), Writes: 2, After: sim.Constant(time.Millisecond)}}
	if r, want := sim.Run(s, 100, 5), 3*time.Millisecond+2*(2*time.Millisecond+400*time.Microsecond); r.P50 != want {
		t.Errorf("%v, want %v", r.P50, want)
	}
}

// TestTheSameSeed gives the same, and another one something else.
func TestTheSameSeed(t *testing.T) {
	a, b, other := sim.Run(three(3, 1000), 10_000, 6), sim.Run(three(3, 1000), 10_000, 6), sim.Run(three(3, 1000), 10_000, 7)
	if !reflect.DeepEqual(a, b) || reflect.DeepEqual(a, other) {
		t.Errorf("%+v, %+v, %+v", a, b, other)
	}
}

// TestTurns: a call that needs a processor several times takes its work and the time apart
// where nobody else comes, and on one machine all servers have the same processors.
func TestTurns(t *testing.T) {
	kinds := []sim.Kind{
		{Share: 1, Before: sim.Constant(work), Turns: 5, Apart: sim.Constant(5 * work)},
		{Share: 1, Before: sim.Constant(2 * work)},
	}
	quiet := sim.Run(sim.System{Servers: 3, Processors: 1, OneMachine: true, Rate: 0.001 / work.Seconds(), Kinds: kinds}, 10_000, 1)
	for i, want := range []time.Duration{6 * work, 2 * work} {
		if k := quiet.Kinds[i]; k.P50 != want || k.Calls < 4_500 {
			t.Errorf("kind %d: %+v, it takes %v alone", i, k, want)
		}
	}
	// Three servers with one processor together: one and a half of a call's work at the mean.
	loaded := sim.Run(sim.System{Servers: 3, Processors: 1, OneMachine: true, Rate: 0.6 / (1.5 * work.Seconds()), Kinds: kinds}, calls, 1)
	near(t, "busy", loaded.ServerBusy, .6, .02)
	// Floods get what the processors can do.
	flooded := sim.Run(sim.System{Servers: 3, Processors: 1, OneMachine: true, Rate: 3 / (1.5 * work.Seconds()), Kinds: kinds, Most: 20}, calls/4, 1)
	if flooded.ServerBusy < .99 {
		t.Errorf("busy %v", flooded.ServerBusy)
	}
	mixed := float64(flooded.Kinds[0].Calls+2*flooded.Kinds[1].Calls) * work.Seconds()
	near(t, "work done", mixed, float64(flooded.Calls)/flooded.Throughput, .02)
}
