package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/jsengine"
)

// measureHostile runs the hostile programs, with the default limits but for time
// and memory, while Go collects its garbage all the time and a goroutine ticks.
func measureHostile(o options, r *report) error {
	engine, err := jsengine.Open(context.Background(), engineConfig(0))
	if err != nil {
		return err
	}
	defer engine.Close()
	paths, err := filepath.Glob(filepath.Join(o.root, "testdata", "hostile", "*.js"))
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	var background sync.WaitGroup
	var gap time.Duration
	background.Go(func() { gap = longestGap(stop) })
	background.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
				time.Sleep(time.Millisecond)
			}
		}
	})
	before := pauses()
	type ended struct {
		name, kind string
		took       time.Duration
	}
	var all []ended
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		names, arguments := hostileInput(string(body))
		image, err := engine.Image(context.Background(), jsengine.Program{File: filepath.Base(path), Body: string(body), Names: names})
		if err != nil {
			all = append(all, ended{filepath.Base(path), "refused to compile", 0})
			continue
		}
		start := time.Now()
		out := image.Call(context.Background(), jsengine.Call{Arguments: arguments, Limits: jsengine.Limits{Time: 5 * time.Second, Fuel: 2_000_000_000, Memory: 32 << 20}})
		kind := "ok"
		if out.Failure != nil {
			kind = string(out.Failure.Kind)
		}
		all = append(all, ended{filepath.Base(path), kind, time.Since(start)})
	}
	close(stop)
	background.Wait()
	wait := longestPause(before, pauses())

	slices.SortFunc(all, func(a, b ended) int { return int(b.took - a.took) })
	s := section{Title: fmt.Sprintf("%d hostile programs; the slowest to stop, ms", len(all)), Columns: []string{"program", "ends", "after"}}
	for _, e := range all[:min(10, len(all))] {
		s.Rows = append(s.Rows, []string{e.name, e.kind, millis(e.took)})
	}
	s.Note = fmt.Sprintf("longest stop-the-world wait %s ms, longest gap of a ticking goroutine %s ms", millis(wait), millis(gap))
	r.Sections = append(r.Sections, s)
	r.bar("longest stop-the-world wait under hostile programs", wait.Seconds()*1000, 5, " ms")
	r.bar("longest gap of a ticking goroutine under hostile programs", gap.Seconds()*1000, 25, " ms")
	return nil
}

// hostileInput reads the head of a program; see testdata/hostile/README.md.
func hostileInput(body string) (names []string, arguments []byte) {
	for line := range strings.Lines(body) {
		comment, ok := strings.CutPrefix(line, "// ")
		if !ok {
			break
		}
		key, value, _ := strings.Cut(strings.TrimSpace(comment), ": ")
		switch key {
		case "names":
			names = strings.Fields(value)
		case "arguments":
			arguments = []byte(value)
		}
	}
	return names, arguments
}

// longestGap ticks every millisecond and returns the longest time between two
// ticks that was asked for as one.
func longestGap(stop <-chan struct{}) time.Duration {
	var longest time.Duration
	last := time.Now()
	for {
		select {
		case <-stop:
			return longest
		default:
		}
		time.Sleep(time.Millisecond)
		now := time.Now()
		longest = max(longest, now.Sub(last)-time.Millisecond)
		last = now
	}
}

// pauses reads how long Go has waited for goroutines to stop for a collection.
func pauses() *metrics.Float64Histogram {
	read := []metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}}
	metrics.Read(read)
	h := read[0].Value.Float64Histogram()
	return &metrics.Float64Histogram{Counts: slices.Clone(h.Counts), Buckets: slices.Clone(h.Buckets)}
}

// longestPause is the upper edge of the highest bucket that grew.
func longestPause(before, after *metrics.Float64Histogram) time.Duration {
	for i := len(after.Counts) - 1; i >= 0; i-- {
		if after.Counts[i] > before.Counts[i] {
			return time.Duration(after.Buckets[i] * float64(time.Second))
		}
	}
	return 0
}
