package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
)

// attacks are bodies that have the host work for them, as hard as they can.
var attacks = []string{
	`let k = 'a: &a\n'; for (let i = 0; i < 20000; i++) k += '  k' + i + ': 1\n'; k += 'b:\n  <<: [' + '*a,'.repeat(100000) + '*a]\n'; safety.parser.yaml(k)`,
	`const d = safety.parser.html('<p></p>'.repeat(800)); d.select('p').attr('a', 'x'.repeat(1e6)); d.html()`,
}

// measureHostile runs the hostile programs, two at a time and beside two attacks
// through host calls, while Go collects its garbage all the time and a goroutine
// ticks.
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
	repeat := func(work func()) {
		background.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					work()
				}
			}
		})
	}
	repeat(func() {
		runtime.GC()
		time.Sleep(time.Millisecond)
	})
	for _, body := range attacks {
		work, err := attack(engine, body, hostileLimits(o))
		if err != nil {
			return err
		}
		repeat(work)
	}
	before := pauses()
	var mu sync.Mutex
	var all []ended
	var failed error
	todo := make(chan string)
	var lanes sync.WaitGroup
	for range 2 {
		lanes.Go(func() {
			for path := range todo {
				e, err := runHostile(engine, path, hostileLimits(o))
				mu.Lock()
				all, failed = append(all, e), errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	for _, path := range paths {
		todo <- path
	}
	close(todo)
	lanes.Wait()
	close(stop)
	background.Wait()
	if failed != nil {
		return failed
	}
	wait := longestPause(before, pauses())

	slices.SortFunc(all, func(a, b ended) int { return int(b.took - a.took) })
	s := section{Title: fmt.Sprintf("%d hostile programs; the slowest to stop, ms", len(all)), Columns: []string{"program", "ends", "after"}}
	for _, e := range all[:min(10, len(all))] {
		s.Rows = append(s.Rows, []string{e.name, e.kind, millis(e.took)})
	}
	s.Note = fmt.Sprintf("two at a time beside two attacks through host calls: longest stop-the-world wait %s ms, longest gap of a ticking goroutine %s ms", millis(wait), millis(gap))
	r.Sections = append(r.Sections, s)
	r.bar("longest stop-the-world wait under hostile programs", wait.Seconds()*1000, 5, " ms")
	r.bar("longest gap of a ticking goroutine under hostile programs", gap.Seconds()*1000, 25, " ms")
	return nil
}

// ended is how a hostile program ended.
type ended struct {
	name, kind string
	took       time.Duration
}

// hostileLimits let every program get where it wants to go, or to a part of that.
func hostileLimits(o options) jsengine.Limits {
	return jsengine.Limits{Time: 5 * time.Second / time.Duration(o.part), Fuel: 2_000_000_000 / uint64(o.part), Memory: 32 << 20}
}

func runHostile(engine *jsengine.Engine, path string, limits jsengine.Limits) (ended, error) {
	e := ended{name: filepath.Base(path), kind: "refused to compile"}
	body, err := os.ReadFile(path)
	if err != nil {
		return e, err
	}
	names, arguments := hostileInput(string(body))
	image, err := engine.Image(context.Background(), jsengine.Program{File: e.name, Body: string(body), Names: names})
	if err != nil {
		return e, nil
	}
	start := time.Now()
	out := image.Call(context.Background(), jsengine.Call{Arguments: arguments, Limits: limits})
	e.took, e.kind = time.Since(start), "ok"
	if out.Failure != nil {
		e.kind = string(out.Failure.Kind)
	}
	return e, nil
}

// attack readies a body without any permission; each call of work runs it once.
func attack(engine *jsengine.Engine, body string, limits jsengine.Limits) (work func(), err error) {
	mint := func() (*host.Grants, error) { return host.Mint(catalog.Posture{}, host.World{}) }
	grants, err := mint()
	if err != nil {
		return nil, err
	}
	defer grants.Close()
	image, err := engine.Image(context.Background(), jsengine.Program{File: "attack.js", Body: body, Operations: grants.Table().Operations()})
	if err != nil {
		return nil, err
	}
	return func() {
		grants, err := mint()
		if err != nil {
			return
		}
		defer grants.Close()
		image.Call(context.Background(), jsengine.Call{Caller: grants.Table(), Limits: limits})
	}, nil
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
