//go:build linux

package main

import (
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/glovebox-run/glovebox/internal/sim"
)

// costs are what was measured under the loads of one kind.
type costs struct {
	work   [kinds]time.Duration   // of processors
	took   [kinds][]time.Duration // sorted
	upkeep float64                // processors that are busy without calls
	write  time.Duration          // until a majority has one on its disks, alone
	// had is the share of the machine's processors that the deployment gets when it wants all:
	// the others' programs have the rest.
	had float64
}

// turns is how often a call needs a processor: its client, a server, its client; and a
// question is two such calls and some nine messages to the store, one after the other.
var turns = [kinds]int{3, 15}

// writes are those of a question, one after the other: its place, it, its answer and its use.
var writes = [kinds]int{0, 4}

const (
	simulated = 200_000
	// onItsWay is the share of the median time that may be work: what takes longer, such as
	// copies of the record, is done beside it.
	onItsWay = 0.8
	// tick is how long the upkeep works at once.
	tick = 200 * time.Microsecond
)

// simulate has the machine take a load: each call takes the time of one that was measured
// alone, and waits besides, for processors and for the disks of the members. The kinds are calls, questions, what is done
// beside each of them, and the upkeep.
func (c costs) simulate(rate, asked float64) sim.Result {
	s := sim.System{Servers: 1, Processors: runtime.NumCPU(), OneMachine: true, Rate: rate, Most: inFlight,
		// A leader and another one write, one after the other.
		Members: size, Copies: size, Write: sim.Constant(c.write / 2)}
	var behind []sim.Kind
	for k, share := range [kinds]float64{1 - asked, asked} {
		whole := time.Duration(float64(c.work[k]) / c.had)
		work := min(whole, time.Duration(onItsWay*float64(middle(c.took[k], 50))))
		elsewhere := work + time.Duration(writes[k])*c.write
		s.Kinds = append(s.Kinds, sim.Kind{Share: share, Turns: turns[k], Before: sim.Constant(work), Writes: writes[k], Apart: func(r *rand.Rand) time.Duration {
			return max(c.took[k][r.IntN(len(c.took[k]))]-elsewhere, 0)
		}})
		if share > 0 && whole > work {
			behind = append(behind, sim.Kind{Share: share, Before: sim.Constant(whole - work)})
			s.Rate += rate * share
		}
	}
	upkeep := c.upkeep / tick.Seconds()
	s.Kinds = append(append(s.Kinds, behind...), sim.Kind{Share: upkeep / rate, Before: sim.Constant(tick)})
	s.Rate += upkeep
	return sim.Run(s, simulated, 1)
}
