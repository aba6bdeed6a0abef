package jsengine

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// breaths is a context that is asked at the end of each slice. It keeps the longest
// processor time between two of them, which is how long Go's collector may have to wait for
// the guest.
type breaths struct {
	context.Context
	count   int
	last    time.Duration
	longest time.Duration
}

func (b *breaths) Err() error {
	now := threadTime()
	if b.count++; b.count > 1 {
		b.longest = max(b.longest, now-b.last)
	}
	b.last = now
	return nil
}

func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// The longest time in which a guest cannot be interrupted, for the hostile programs that
// recurse: each page of the native stack is new to them.
func BenchmarkLongestStretch(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e := testEngine(b)
	paths, err := filepath.Glob("../testdata/hostile/stack-*.js")
	if err != nil {
		b.Fatal(err)
	}
	worst, of := time.Duration(0), ""
	for b.Loop() {
		for _, path := range paths {
			body, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			image, err := e.Image(b.Context(), Program{File: filepath.Base(path), Body: string(body)})
			if err != nil {
				continue // it does not compile, or needs arguments
			}
			c := breaths{Context: b.Context()}
			image.Call(&c, Call{Limits: Limits{Fuel: 200_000_000}})
			if c.longest > worst {
				worst, of = c.longest, filepath.Base(path)
			}
		}
	}
	b.ReportMetric(float64(worst.Microseconds())/1000, "ms/longest")
	b.Log(of)
}

// What a guest is given at a time is little enough: a call that uses all its fuel is
// asked for it as often as the slices say.
func TestAGuestIsInterruptedOften(t *testing.T) {
	c := breaths{Context: t.Context()}
	const fuel = 60_000_000
	out := testImage(t, testEngine(t), `for (;;);`).Call(&c, Call{Limits: Limits{Fuel: fuel}})
	if out.Failure == nil || out.Failure.Kind != FuelLimit {
		t.Fatal(out.Failure)
	}
	if most := fuel / c.count; most > 200_000 {
		t.Errorf("%d units of fuel at a time", most)
	}
}
