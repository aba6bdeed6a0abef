//go:build linux

// Calibrate runs three real servers and three members of their store on this machine,
// measures under light loads of one kind what the steps of a call cost, gives that to the
// simulation, and prints what both say about heavier loads of two kinds: the table of
// docs/why/scale.md.
//
//	go run ./internal/sim/calibrate
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/internal/sim"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

var (
	each   = flag.Duration("each", 5*time.Second, "how long each load lasts, in each round")
	rounds = flag.Int("rounds", 3, "how often all loads are made by turns")
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == memberCommand {
		exit(natstest.RunMember(os.Args[2:]))
		return
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(calibrate(ctx))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	calls = iota
	questions
	kinds
)

var names = [kinds]string{"call", "question"}

// Loads are shares of what the deployment can do. From those of one kind are the costs: how
// long a call takes from the light one, and what it works from the half one, since a process
// that has just slept works more for each. Those of both kinds, which ask a person about one
// call in ten, are compared. A flood is more than can be done.
const (
	light, half, asking = 0.1, 0.5, 0.1
	floods              = 2.5
)

var mixed = []float64{0.3, 0.5, 0.7, floods}

// first is a flood of each kind before it is known what can be done.
var first = [kinds]float64{1000, 100}

func calibrate(ctx context.Context) error {
	f, err := startFleet(ctx)
	if err != nil {
		return err
	}
	defer f.stop()
	var can [kinds]float64 // a second
	for k, rate := range first {
		m, err := f.load(ctx, rate, float64(k))
		if err != nil {
			return err
		}
		if can[k] = m.answered(); can[k] == 0 {
			return fmt.Errorf("no %s was answered within %v: is the machine too busy?", names[k], *each)
		}
	}
	both := 1 / ((1-asking)/can[calls] + asking/can[questions])
	var alone, busy [kinds]measured
	upkeep, heavier := usage{}, make([]measured, len(mixed))
	var write time.Duration // the mean of the medians
	for range *rounds {
		w, err := f.write(ctx)
		if err != nil {
			return err
		}
		write += w / time.Duration(*rounds)
		u, err := f.idle(ctx)
		if err != nil {
			return err
		}
		upkeep.add(u)
		for k := range alone {
			if err := f.more(ctx, &alone[k], light*can[k], float64(k)); err != nil {
				return err
			}
			if err := f.more(ctx, &busy[k], half*can[k], float64(k)); err != nil {
				return err
			}
		}
		for i, share := range mixed {
			if err := f.more(ctx, &heavier[i], share*both, asking); err != nil {
				return err
			}
		}
	}
	c := costs{upkeep: upkeep.share(), write: write, had: heavier[len(heavier)-1].used.share() / float64(runtime.NumCPU())}
	for k := range alone {
		c.work[k] = busy[k].used.each(c.upkeep, len(busy[k].took[k]))
		c.took[k] = alone[k].took[k]
		slices.Sort(c.took[k])
		fmt.Printf("a %s: %.2f ms of processors, of which clients %.0f %%, servers %.0f %%, store %.0f %%; answered in %.2f ms at the median when %.0f a second come\n",
			names[k], ms(c.work[k]), busy[k].used.of(clients), busy[k].used.of(servers), busy[k].used.of(members), ms(middle(c.took[k], 50)), alone[k].rate)
	}
	fmt.Printf("a write: %.2f ms until a majority has it on its disks; of %d processors %.0f %% could be had; without calls %.1f %% of one are busy\n\n",
		ms(c.write), runtime.NumCPU(), c.had*100, c.upkeep*100)
	fmt.Print("| load | calls a second | answered | simulated | call p50, ms | simulated | p99 | simulated | question p50 | simulated | p99 | simulated |\n" +
		"|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for k := range alone {
		row(names[k]+"s alone", alone[k], c.simulate(alone[k].rate, float64(k)))
		row(names[k]+"s alone, half", busy[k], c.simulate(busy[k].rate, float64(k)))
	}
	for i, share := range mixed {
		row(fmt.Sprintf("%.0f %%", share*100), heavier[i], c.simulate(heavier[i].rate, asking))
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// middle is a quantile of sorted times.
func middle(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)*percent/100]
}

func row(name string, m measured, r sim.Result) {
	good := float64(r.Kinds[calls].Calls+r.Kinds[questions].Calls) / float64(r.Calls) * r.Throughput
	fmt.Printf("| %s | %.0f | %.0f | %s |", name, m.rate, m.answered(), beside(good, m.answered()))
	for k := range m.took {
		slices.Sort(m.took[k])
		for _, x := range [2]struct {
			percent int
			sim     time.Duration
		}{{50, r.Kinds[k].P50}, {99, r.Kinds[k].P99}} {
			switch {
			case len(m.took[k]) == 0, m.answered() < 0.9*m.rate: // a queue that grows has no time of its own
				fmt.Print(" – | – |")
			default:
				real := ms(middle(m.took[k], x.percent))
				fmt.Printf(" %.1f | %s |", real, beside(ms(x.sim), real))
			}
		}
	}
	fmt.Println()
}

// beside is what was simulated, with the error.
func beside(simulated, real float64) string {
	return fmt.Sprintf("%.1f (%+.0f %%)", simulated, (simulated/real-1)*100)
}
