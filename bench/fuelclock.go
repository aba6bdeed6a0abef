package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/glovebox-run/glovebox/jsengine"
)

// A default call may hold a core for this long, whatever it runs.
const longestHold = 5.0

// measureFuelClock repeats each built-in until it has used a piece of fuel and
// says how long a core worked on it: how long the default fuel would hold it.
func measureFuelClock(o options, r *report) error {
	engine, err := jsengine.Open(context.Background(), engineConfig(0))
	if err != nil {
		return err
	}
	defer engine.Close()
	text, err := os.ReadFile(filepath.Join(o.root, "bench", "builtins", "builtins.js"))
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	fuel := jsengine.DefaultLimits.Fuel / uint64(10*o.part)
	limits := jsengine.Limits{Fuel: fuel, Statements: 1 << 50, Time: time.Minute}
	type rate struct {
		name, ends string
		hold       float64 // seconds, for the default fuel
	}
	var all []rate
	for chunk := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		name, body, ok := strings.Cut(strings.TrimPrefix(chunk, "// what: "), "\n")
		if !ok {
			return fmt.Errorf("no program in %q", chunk)
		}
		image, err := engine.Image(context.Background(), jsengine.Program{File: "builtin.js", Body: "for (;;) {\n" + body + "\n}"})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		best := time.Duration(1 << 62)
		var out jsengine.Outcome
		for range min(o.programs, 3) { // processor time differs less than time
			start := threadTime()
			out = image.Call(context.Background(), jsengine.Call{Limits: limits})
			best = min(best, threadTime()-start)
		}
		ends := string(out.Failure.Kind)
		if ends != "fuel_limit" {
			ends += " " + out.Failure.Message + " " + out.Failure.Stack
		}
		all = append(all, rate{name, ends, best.Seconds() / float64(out.Usage.Fuel) * float64(jsengine.DefaultLimits.Fuel)})
	}
	slices.SortFunc(all, func(a, b rate) int { return cmp.Compare(b.hold, a.hold) })
	s := section{Title: fmt.Sprintf("How long %d built-ins hold a core on the default fuel, s", len(all)), Columns: []string{"built-in", "ends", "s"}}
	for _, e := range all {
		s.Rows = append(s.Rows, []string{e.name, e.ends, fmt.Sprintf("%.2f", e.hold)})
	}
	r.Sections = append(r.Sections, s)
	r.bar("processor time of the default fuel, slowest built-in: "+all[0].name, all[0].hold, longestHold, " s")
	return nil
}

// threadTime is the processor time that this thread has used.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
