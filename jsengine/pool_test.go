package jsengine

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/jsengine/linear"
)

// Many goroutines, several images, calls that end in every way.
func TestConcurrentCalls(t *testing.T) {
	e := testEngine(t)
	limits := Limits{Statements: 2000, Memory: 8 << 20}
	programs := []struct {
		image *Image
		kind  Kind
		want  string
	}{
		{testImage(t, e, `globalThis.n = (globalThis.n ?? 0) + x; return n`, "x"), "", ""},
		{testImage(t, e, `await new Promise((resolve) => setTimeout(resolve, x % 3)); return [typeof n, x]`, "x"), "", ""},
		{testImage(t, e, `for (;;);`), StatementLimit, ""},
		{testImage(t, e, `const a = []; for (;;) a.push(new Uint8Array(1 << 18))`), MemoryLimit, ""},
		{testImage(t, e, `throw new Error(x)`, "x"), Exception, ""},
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for n := range 40 {
				p := programs[(worker+n)%len(programs)]
				x := worker*1000 + n
				out := p.image.Call(context.Background(), Call{Arguments: fmt.Appendf(nil, `{"x":%d}`, x), Limits: limits})
				if p.kind != "" {
					if out.Failure == nil || out.Failure.Kind != p.kind {
						t.Errorf("got %s, failure %v, want %s", out.Result, out.Failure, p.kind)
					}
					continue
				}
				plain, shaped := fmt.Sprint(x), fmt.Sprintf(`["undefined",%d]`, x)
				if got := string(out.Result); got != plain && got != shaped {
					t.Errorf("got %s, failure %v", got, out.Failure)
				}
			}
		})
	}
	group.Wait()
}

func TestThePoolKeepsWhatItMayAndNoMore(t *testing.T) {
	e, err := Open(context.Background(), Config{CacheDir: testCache(), Idle: 2})
	if err != nil {
		t.Fatal(err)
	}
	image := testImage(t, e, `await new Promise((resolve) => setTimeout(resolve, 20))`)
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() { image.Call(context.Background(), Call{}) })
	}
	group.Wait()
	for deadline := time.Now().Add(5 * time.Second); ; {
		e.pool.mu.Lock()
		clean, dirty := len(e.pool.clean), len(e.pool.dirty)
		e.pool.mu.Unlock()
		if clean == 2 && dirty == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d clean, %d dirty", clean, dirty)
		}
	}
	e.Close()
	if n := len(e.pool.clean); n != 0 {
		t.Errorf("%d instances after Close", n)
	}
	// A call that comes too late still ends, and leaves nothing.
	if out := image.Call(context.Background(), Call{Limits: Limits{Time: time.Second}}); out.Failure != nil {
		t.Error(out.Failure)
	}
	e.Close()
}

func TestTheMemoryLimitIsExact(t *testing.T) {
	e := testEngine(t)
	image := testImage(t, e, `const a = []; for (;;) a.push(new Uint8Array(100_000))`)
	for _, limit := range []uint64{7 << 20, 8 << 20, 8<<20 + linear.WasmPage, 64 << 20, 100 << 20} {
		out := image.Call(t.Context(), Call{Limits: Limits{Memory: limit}})
		if out.Failure == nil || out.Failure.Kind != MemoryLimit || out.Usage.PeakMemory > limit || out.Usage.PeakMemory < limit-4*linear.WasmPage {
			t.Errorf("limit %d: peak %d, failure %v", limit, out.Usage.PeakMemory, out.Failure)
		}
	}
	if out := image.Call(t.Context(), Call{Limits: Limits{Memory: 1 << 20}}); out.Failure == nil || out.Failure.Kind != Refused {
		t.Errorf("a limit below the image: %v", out.Failure)
	}
}

// Ten megabytes of JSON in and out are within the default limits.
func TestTenMegabytesOfJSONFitTheDefaults(t *testing.T) {
	e := testEngine(t)
	image := testImage(t, e, `return JSON.parse(JSON.stringify(rows)).length + text.length`, "rows", "text")
	var arguments []byte
	arguments = append(arguments, `{"text":"`...)
	for len(arguments) < 5<<20 {
		arguments = append(arguments, "some text "...)
	}
	arguments = append(arguments, `","rows":[`...)
	rows := 0
	for ; len(arguments) < 10<<20; rows++ {
		arguments = fmt.Appendf(arguments, `{"id":%d,"name":"row number %d","value":%d.5},`, rows, rows, rows)
	}
	arguments = append(arguments, `0]}`...)
	out := image.Call(t.Context(), Call{Arguments: arguments})
	t.Logf("%d bytes: %+v", len(arguments), out.Usage)
	if out.Failure != nil {
		t.Error(out.Failure)
	}
}

// An instance is made once and put in order after each call; what is told is no more and
// no less.
func TestPreparationsAreTold(t *testing.T) {
	told := make(chan Preparation, 100)
	e, err := Open(context.Background(), Config{CacheDir: testCache(), Idle: 1, Prepared: func(what Preparation, took time.Duration) {
		if took <= 0 {
			t.Errorf("preparation %d took %v", what, took)
		}
		told <- what
	}})
	if err != nil {
		t.Fatal(err)
	}
	wait := func(want Preparation) {
		t.Helper()
		select {
		case got := <-told:
			if got != want {
				t.Fatalf("preparation %d, want %d", got, want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("nothing was told of %d", want)
		}
	}
	image := testImage(t, e, `return 1`) // in an instance of its own, which is thrown away
	wait(Made)
	for n := range 3 {
		if out := image.Call(context.Background(), Call{}); out.Failure != nil {
			t.Fatal(out.Failure)
		}
		if n == 0 {
			wait(Made)
		}
		wait(Reset)
	}
	e.Close()
	if n := len(told); n != 0 {
		t.Errorf("%d more", n)
	}
}
