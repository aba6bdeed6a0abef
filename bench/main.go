// Command bench measures what the sandbox costs, against the peers that people
// would otherwise take, in one run and with the calls interleaved: these are
// ratios, and the machine they were taken on is part of the answer.
//
// It prints tables, and keeps the run as JSON and as a page with plots. See the Makefile's target bench.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// options are how much of everything is run.
type options struct {
	fresh    int // calls of a fast peer and tool
	programs int // rounds of the CPU programs
	calls    int // of the growth test
	seconds  int // of each throughput measurement
	tools    int // of the library that is served
	cold     int // starts of a process without its cache
	warm     int // starts with it
	part     int // of the fuel and time of programs that use up all they get: one of so many
	root     string
	glovebox string // the command to start; empty leaves its start-up out
	qjs      string // the command beside this one; empty leaves it out
	wasmtime string // as qjs
	node     string // the command that runs node/peer.mjs; empty leaves its peers out
	only     string // the parts to run, separated by commas; empty for all
}

func main() {
	short := flag.Bool("short", false, "a tenth of everything, for a smoke test")
	out := flag.String("out", "out", "the `DIR` that keeps runs")
	o := options{}
	flag.StringVar(&o.root, "root", "..", "the repository")
	flag.StringVar(&o.glovebox, "glovebox", "", "the glovebox `COMMAND`, to measure its start")
	flag.StringVar(&o.qjs, "qjs", "", "the `COMMAND` built from qjs/")
	flag.StringVar(&o.only, "only", "", "run only these `PARTS`, separated by commas: phases, peers, memory, density, engine, hostcalls, fuel, hostile, start, library")
	flag.StringVar(&o.wasmtime, "wasmtime", "", "the `COMMAND` built from wasmtime/")
	flag.StringVar(&o.node, "node", "", "the node `COMMAND`, to measure the peers in node/")
	again := flag.String("page", "", "only make the page again of the run in `FILE`, which the benchmark has kept as JSON")
	open := flag.String("open", "", "only open the engine with the cache in `DIR`, and print how long that took")
	flag.Parse()
	o.fresh, o.programs, o.calls, o.seconds, o.tools, o.cold, o.warm, o.part = 5000, 5, 100_000, 2, 1000, 5, 30, 1
	if *short {
		o.fresh, o.programs, o.calls, o.seconds, o.tools, o.cold, o.warm, o.part = 500, 1, 10_000, 1, 100, 1, 3, 10
	}
	var err error
	switch {
	case *open != "":
		err = printOpen(*open)
	case *again != "":
		err = pageAgain(*again)
	default:
		err = run(o, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(o options, out string) error {
	r := &report{Machine: describeMachine(o.root)}
	before, load := readTicks(), firstWords("/proc/loadavg", 1)
	took := section{Title: "How long each part of the benchmark took, s", Columns: []string{"part", "s"}}
	for _, part := range []struct {
		name    string
		measure func(options, *report) error
	}{
		{"phases", measurePhases}, {"peers", measurePeers}, {"memory", measureMemory}, {"density", measureDensity}, {"engine", measureEngine},
		{"hostcalls", measureHostCalls}, {"fuel", measureFuelClock}, {"hostile", measureHostile}, {"start", measureStart},
		{"library", measureLibrary},
	} {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), part.name) {
			continue
		}
		began := time.Now()
		if err := part.measure(o, r); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		seconds := fmt.Sprintf("%.0f", time.Since(began).Seconds())
		took.Rows = append(took.Rows, []string{part.name, seconds})
		fmt.Fprintf(os.Stderr, "%s: %s s\n", part.name, seconds)
	}
	r.Sections = append(r.Sections, took)
	r.Health = readTicks().since(before)
	r.Health.LoadBefore = load
	if err := r.write(os.Stdout); err != nil {
		return err
	}
	path, err := r.store(out)
	fmt.Println("\nkept as", filepath.ToSlash(path), "and as a page beside it")
	return err
}
