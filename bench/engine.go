package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/jsengine"
)

// callerFunc is a host with one function.
type callerFunc func(op string, text, blob []byte) ([]byte, []byte, error)

func (f callerFunc) Call(_ context.Context, _ *budget.Account, op string, text, blob []byte) ([]byte, []byte, error) {
	return f(op, text, blob)
}

// hostImage compiles a body that may ask for the workspace: the host call that
// does least.
func hostImage(engine *jsengine.Engine, body string) (*jsengine.Image, error) {
	return engine.Image(context.Background(), jsengine.Program{File: "bench.js", Body: body, Operations: fileOperations})
}

// fileOperations are those of a tool that may read files.
var fileOperations = []string{
	"fs.workspace", "fs.readRoots", "fs.readText", "fs.list", "fs.exists", "fs.stat", "fs.grep", "fs.lineCount", "fs.slice", "fs.cut", "fs.sort", "fs.find", "fs.searchInFiles",
}

// newInstances holds n calls inside a host call, so that none finds an idle
// instance, and returns how long each took to get there.
func newInstances(n int) (sample, error) {
	engine, err := jsengine.Open(context.Background(), engineConfig(1))
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	image, err := hostImage(engine, "safety.fs.workspace(); return null;")
	if err != nil {
		return nil, err
	}
	arrived, release := make(chan time.Time), make(chan struct{})
	host := callerFunc(func(string, []byte, []byte) ([]byte, []byte, error) {
		arrived <- time.Now()
		<-release
		return []byte(`"/"`), nil, nil
	})
	var s sample
	var wg sync.WaitGroup
	var failed atomic.Pointer[jsengine.Failure]
	for i := range n {
		start := time.Now()
		wg.Go(func() {
			if out := image.Call(context.Background(), jsengine.Call{Caller: host}); out.Failure != nil {
				failed.Store(out.Failure)
				select {
				case arrived <- time.Now():
				case <-release:
				}
			}
		})
		took := (<-arrived).Sub(start)
		if i > 0 { // the first may have found the idle one
			s = append(s, took)
		}
	}
	close(release)
	wg.Wait()
	if f := failed.Load(); f != nil {
		return nil, f
	}
	return s, nil
}

func measureEngine(o options, r *report) error {
	own, err := openGlovebox()
	if err != nil {
		return err
	}
	defer own.Close()
	tools, err := loadTools(o.root + "/bench/tools")
	if err != nil {
		return err
	}
	if err := measureGrowth(o, r, own, tools[1]); err != nil {
		return err
	}
	if err := measureThroughput(o, r, own, tools); err != nil {
		return err
	}
	for _, t := range tools {
		image, err := own.image(t)
		if err != nil {
			return err
		}
		call := jsengine.Call{Arguments: []byte(t.arguments), Buffer: make([]byte, 0, 1024)}
		allocations := testing.AllocsPerRun(2000, func() { image.Call(context.Background(), call) })
		r.bar("Go allocations of a call, "+t.name, allocations, 0, "")
	}
	return nil
}

// measureMemory holds many instances idle and reads what they keep to
// themselves.
func measureMemory(_ options, r *report) error {
	const n = 100
	engine, err := jsengine.Open(context.Background(), engineConfig(n))
	if err != nil {
		return err
	}
	defer engine.Close()
	// Calls that wait for a timer are all in flight at once, so each has an
	// instance of its own, which the pool keeps afterwards.
	image, err := engine.Image(context.Background(), jsengine.Program{
		File: "bench.js", Body: "await new Promise((done) => setTimeout(done, 500)); return [1, 2, 3].map(String);",
	})
	if err != nil {
		return err
	}
	hold := func(n int) error {
		var calls sync.WaitGroup
		var failed atomic.Pointer[jsengine.Failure]
		for range n {
			calls.Go(func() {
				if got := image.Call(context.Background(), jsengine.Call{}); got.Failure != nil {
					failed.Store(got.Failure)
				}
			})
		}
		calls.Wait()
		if f := failed.Load(); f != nil {
			return f
		}
		return nil
	}
	if err := hold(1); err != nil {
		return err
	}
	before, err := privateMemory()
	if err != nil {
		return err
	}
	if err := hold(n); err != nil {
		return err
	}
	time.Sleep(200 * time.Millisecond) // until the pool has cleaned them
	after, err := privateMemory()
	if err != nil {
		return err
	}
	each := float64(after-before) / (n - 1) / 1024
	r.Sections = append(r.Sections, section{
		Title: "Private memory of an idle instance", Columns: []string{"instances", "KiB each"},
		Rows: [][]string{{fmt.Sprint(n), fmt.Sprintf("%.0f", each)}}, Note: "Private_Dirty of the process, Go's garbage collected on both sides",
	})
	r.bar("private memory of an idle instance", each, 320, " KiB")
	return measureResting(r, before, n-1)
}

// privateMemory is the memory in bytes that the process shares with nobody.
func privateMemory() (int64, error) {
	debug.FreeOSMemory()
	return memoryIn("/proc/self/smaps_rollup", "Private_Dirty:")
}

// memoryIn reads a line of a process's smaps_rollup, in bytes.
func memoryIn(file, what string) (int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) == 3 && fields[0] == what {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			return kib * 1024, err
		}
	}
	return 0, fmt.Errorf("no %s in %s", what, file)
}

func measureGrowth(o options, r *report, own *gloveboxPeer, t tool) error {
	if _, err := own.Fresh(t, o.calls/10); err != nil {
		return err
	}
	before, err := privateMemory()
	if err != nil {
		return err
	}
	if _, err := own.Fresh(t, o.calls); err != nil {
		return err
	}
	after, err := privateMemory()
	if err != nil {
		return err
	}
	grown := float64(after-before) / 1024
	r.Sections = append(r.Sections, section{
		Title: "Growth", Columns: []string{"calls", "KiB"}, Rows: [][]string{{fmt.Sprint(o.calls), fmt.Sprintf("%.0f", grown)}},
	})
	r.bar(fmt.Sprintf("growth over %d calls", o.calls), grown, 1024, " KiB")
	return nil
}

// measureThroughput compares all processors with one of them. Processor time is what other
// work on the machine disturbs least, so that is the bar: what a call costs while all
// processors work, against what it costs alone. Twice as many goroutines as processors
// leave none of them idle.
func measureThroughput(o options, r *report, own *gloveboxPeer, tools []tool) error {
	all := runtime.NumCPU()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	s := section{
		Title: "Calls a second, and processor time of a call in us", Columns: []string{"tool", "1 processor", "us", fmt.Sprintf("%d processors", all), "us"},
		Note: "the median of interleaved rounds; two goroutines for each processor",
	}
	for _, t := range tools {
		image, err := own.image(t)
		if err != nil {
			return err
		}
		var rates, costs [2][]float64
		for range 2 * o.seconds {
			for n, processors := range []int{1, all} {
				runtime.GOMAXPROCS(processors)
				rate, cost, err := load(image, t, 2*processors, time.Second/2)
				if err != nil {
					return err
				}
				rates[n], costs[n] = append(rates[n], rate), append(costs[n], cost)
			}
		}
		s.Rows = append(s.Rows, []string{
			t.name, fmt.Sprintf("%.0f", median(rates[0])), fmt.Sprintf("%.1f", median(costs[0])), fmt.Sprintf("%.0f", median(rates[1])), fmt.Sprintf("%.1f", median(costs[1])),
		})
		r.bar(fmt.Sprintf("processor time of a call on %d processors against one, %s", all, t.name), median(costs[1])/median(costs[0]), 1.25, "x")
	}
	r.Sections = append(r.Sections, s)
	runtime.GC()
	return nil
}

// load calls a tool from several goroutines, and returns calls a second and the
// microseconds of processor time that each took.
func load(image *jsengine.Image, t tool, goroutines int, length time.Duration) (rate, cost float64, err error) {
	var calls atomic.Int64
	var failed atomic.Pointer[jsengine.Failure]
	var wg sync.WaitGroup
	began, spent := time.Now(), processorTime()
	for range goroutines {
		wg.Go(func() {
			var buffer []byte
			for time.Since(began) < length {
				out := image.Call(context.Background(), jsengine.Call{Arguments: []byte(t.arguments), Buffer: buffer})
				if out.Failure != nil {
					failed.Store(out.Failure)
					return
				}
				buffer = out.Result
				calls.Add(1)
			}
		})
	}
	wg.Wait()
	if f := failed.Load(); f != nil {
		return 0, 0, f
	}
	n := float64(calls.Load())
	return n / time.Since(began).Seconds(), float64((processorTime() - spent).Microseconds()) / n, nil
}
