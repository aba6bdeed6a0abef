// Scale simulates deployments of three sizes with what calls were measured to cost, and
// prints the table of docs/why/scale.md.
//
//	go run ./internal/sim/scale
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/glovebox-run/glovebox/internal/sim"
)

//go:embed costs.json
var measured []byte

// costs are in the unit that their name ends with.
type costs struct {
	Measured string
	Call     cost
	Question cost
	// StoreMessageMs is the work of one member of the store for one message: what all members
	// worked for an answered question, by its messages and by members.
	StoreMessageMs float64
	SessionKiB     float64
}

type cost struct {
	CPUMs         float64
	StoreMessages float64
	// ApartMs is the time in which nobody works for it: wires, and processes that wake up late.
	// It is set so that a call takes at the median what one took on an idle machine.
	ApartMs float64
}

// What an agent does, and what a deployment is built of.
const (
	callsPerSecond   = 0.1        // of an agent: one every ten seconds
	questionsPerHour = 1.0        // of an agent, that a person answers
	processors       = 4          // of a server
	members          = 3          // of the store of a cell, which has all copies
	busyAtMost       = 0.6        // of processors and of the store, so that one in three may fail
	hop              = 250 * 1000 // ns between two machines of a rack, one way
	simulated        = 100_000    // calls
)

// plan is a deployment: cells, each with its own store, among which principals are divided.
type plan struct {
	agents, cells, servers int // servers of one cell
	memory                 float64
	of                     sim.Result // of one cell
}

func main() {
	if err := table(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func table(w io.Writer) error {
	var c costs
	if err := json.Unmarshal(measured, &c); err != nil {
		return err
	}
	fmt.Fprintf(w, "| agents | calls a second | questions a second | cells | servers of a cell | memory of sessions a server | processors busy | store busy | p50 | p99 |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, agents := range []int{1_000, 100_000, 10_000_000} {
		p := planFor(agents, c)
		fmt.Fprintf(w, "| %d | %.0f | %.1f | %d | %d | %.2g GiB | %.0f %% | %.0f %% | %.1f ms | %.1f ms |\n",
			agents, float64(agents)*callsPerSecond, float64(agents)*questionsPerHour/3600, p.cells, p.servers, p.memory,
			p.of.ServerBusy*100, p.of.StoreBusy*100, ms(p.of.Kinds[0].P50), ms(p.of.Kinds[0].P99))
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// planFor divides agents among as few cells as their stores allow, with as few servers, at
// least three, as their processors allow.
func planFor(agents int, c costs) plan {
	p := plan{agents: agents}
	questions := float64(agents) * questionsPerHour / 3600
	calls := float64(agents) * callsPerSecond
	// Every member has a copy of every message.
	store := (calls*c.Call.StoreMessages + questions*c.Question.StoreMessages) * c.StoreMessageMs / 1000
	p.cells = int(math.Ceil(store / busyAtMost))
	cpu := (calls*c.Call.CPUMs + questions*c.Question.CPUMs) / 1000 / float64(p.cells)
	p.servers = max(3, int(math.Ceil(cpu/processors/busyAtMost)))
	p.memory = float64(agents) * c.SessionKiB / float64(p.cells*p.servers) / (1 << 20)
	share := questions / calls
	half := sim.Exponential(time.Duration(c.Question.CPUMs / 2 * float64(time.Millisecond)))
	p.of = sim.Run(sim.System{
		Servers: p.servers, Processors: processors, Members: members, Copies: members, Hop: hop,
		Write: sim.Exponential(time.Duration(c.StoreMessageMs * float64(time.Millisecond))),
		Rate:  (calls + questions) * (1 + c.Call.StoreMessages) / float64(p.cells),
		Kinds: []sim.Kind{
			{Share: 1, Before: sim.Exponential(time.Duration(c.Call.CPUMs * float64(time.Millisecond))), Apart: sim.Constant(time.Duration(c.Call.ApartMs * float64(time.Millisecond)))},
			// What calls write waits for nobody: copies of the record, signs of life.
			{Share: c.Call.StoreMessages, Before: sim.Constant(0), Writes: 1},
			{Share: share, Before: half, Writes: int(math.Round(c.Question.StoreMessages)), After: half},
		},
	}, simulated, 1)
	return p
}
