package jsengine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/jsengine/linear"
)

// hostileProgram is a file of testdata/hostile; see its README.
type hostileProgram struct {
	name, body string
	head       map[string]string
}

func hostilePrograms(t testing.TB) []hostileProgram {
	t.Helper()
	files, err := filepath.Glob("../testdata/hostile/*.js")
	if err != nil {
		t.Fatal(err)
	}
	var programs []hostileProgram
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := hostileProgram{name: strings.TrimSuffix(filepath.Base(file), ".js"), body: string(source), head: map[string]string{}}
		for line := range strings.Lines(p.body) {
			comment, ok := strings.CutPrefix(line, "// ")
			if !ok {
				break
			}
			if key, value, ok := strings.Cut(strings.TrimSpace(comment), ": "); ok {
				p.head[key] = value
			}
		}
		programs = append(programs, p)
	}
	return programs
}

func (p *hostileProgram) arguments(t testing.TB) []byte {
	if nested, ok := p.head["nested"]; ok {
		n, err := strconv.Atoi(nested)
		if err != nil {
			t.Fatal(err)
		}
		return []byte(`{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`)
	}
	if text, ok := p.head["arguments"]; ok {
		return []byte(text)
	}
	return nil
}

// Small enough for the whole collection to run in seconds, large enough for
// every program to get where it wants to go.
var hostileLimits = Limits{
	Statements: 8_000, Fuel: 422_000_000, Time: 20 * time.Second, Memory: 13 << 20, Output: 256 << 10,
	ConsoleLines: 100, ConsoleBytes: 64 << 10,
}

// limits are the common ones with those of the head in their place.
func (p *hostileProgram) limits(t testing.TB) Limits {
	limits := hostileLimits
	for key, field := range map[string]*uint64{"statements": &limits.Statements, "fuel": &limits.Fuel, "memory": &limits.Memory} {
		if text, ok := p.head[key]; ok {
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			*field = n
		}
	}
	return limits
}

func (p *hostileProgram) run(t testing.TB, e *Engine, limits Limits) Outcome {
	image, err := e.Image(context.Background(), Program{File: p.name + ".js", Body: p.body, Names: strings.Fields(p.head["names"])})
	var failure *Failure
	if errors.As(err, &failure) {
		return Outcome{Failure: failure}
	}
	if err != nil {
		t.Fatal(err)
	}
	return image.Call(context.Background(), Call{Arguments: p.arguments(t), Limits: limits, Seed: 1, Clock: VirtualClock(bootTime)})
}

func TestHostilePrograms(t *testing.T) {
	e := testEngine(t)
	programs := hostilePrograms(t)
	if len(programs) < 45 {
		t.Fatalf("only %d programs", len(programs))
	}
	innocent := testImage(t, e, `const x = await new Promise((resolve) => setTimeout(resolve, 1, 6)); console.log('here'); return x * y`, "y")
	goroutines, heap := runtime.NumGoroutine(), heapBytes()
	t.Run("all", func(t *testing.T) {
		for _, p := range programs {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				limits := p.limits(t)
				out := p.run(t, e, limits)
				p.check(t, out, limits)
				after := innocent.Call(t.Context(), Call{Arguments: []byte(`{"y":7}`)})
				if string(after.Result) != "42" || len(after.Logs) != 1 {
					t.Errorf("the next call: %s, %v, failure %v", after.Result, after.Logs, after.Failure)
				}
			})
		}
	})
	settled := func() bool {
		e.pool.mu.Lock()
		defer e.pool.mu.Unlock()
		return runtime.NumGoroutine() <= goroutines && len(e.pool.dirty) == 0 && len(e.pool.clean) <= e.pool.idle
	}
	deadline := time.Now().Add(5 * time.Second)
	for ; !settled(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, were %d; %d instances in the pool, at most %d", runtime.NumGoroutine(), goroutines, len(e.pool.clean), e.pool.idle)
		}
	}
	// What lies in a sync.Pool, and what a finalizer holds, takes more than one collection.
	for grown := heapBytes() - heap; grown > 16<<20; grown = heapBytes() - heap {
		if time.Now().After(deadline) {
			t.Fatalf("%d MiB of Go heap are not back", grown>>20)
		}
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil { // where the system tells
		if mapped := strings.Count(string(maps), linear.FileName); mapped > e.pool.idle {
			t.Errorf("%d instances are mapped, the pool keeps %d", mapped, e.pool.idle)
		}
	}
}

func heapBytes() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func (p *hostileProgram) check(t *testing.T, out Outcome, limits Limits) {
	ends := "ok"
	if out.Failure != nil {
		ends = string(out.Failure.Kind)
	}
	if ends != p.head["ends"] {
		t.Errorf("%s ends in %s, want %s: %v\n%.300s\nresult %.100s cause %v\nusage %+v", p.name, ends, p.head["ends"], out.Failure, stackOf(out.Failure), out.Result, causeOf(out.Failure), out.Usage)
	}
	if want, ok := p.head["result"]; ok && string(out.Result) != want {
		t.Errorf("%s result %s, want %s", p.name, out.Result, want)
	}
	if want := p.head["message"]; out.Failure != nil && want != "" && !strings.Contains(out.Failure.Message, want) {
		t.Errorf("message %q", out.Failure.Message)
	}
	if want := p.head["name"]; out.Failure != nil && want != "" && out.Failure.Name != want {
		t.Errorf("name %q, want %q, message %q", out.Failure.Name, want, out.Failure.Message)
	}
	if u := out.Usage; u.PeakMemory > limits.Memory || u.Fuel > limits.Fuel+1<<25 || u.Statements > limits.Statements {
		t.Errorf("more than allowed: %+v", u)
	}
	if len(out.Logs) > limits.ConsoleLines || len(out.Result) > limits.Output || len(out.Failure.text()) > 1<<20 {
		t.Errorf("%d lines, %d bytes, failure of %d bytes", len(out.Logs), len(out.Result), len(out.Failure.text()))
	}
}

func stackOf(f *Failure) string {
	if f == nil {
		return ""
	}
	return f.Stack
}

func causeOf(f *Failure) error {
	if f == nil {
		return nil
	}
	return f.Cause
}

func (f *Failure) text() string {
	if f == nil {
		return ""
	}
	return f.Error() + f.Stack
}
