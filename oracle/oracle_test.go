package oracle

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Enough for every program that is meant to end.
const (
	plentyFuel       = 4_000_000_000
	plentyStatements = 1 << 40
)

// slices are how much fuel the host gives out at a time. The result must not
// depend on it, so the programs take turns.
var slices = []int64{1 << 50, 10_000_000, 1_000_000, 31_337, 777}

type engines struct {
	wasmtime *wasmtimeEngine
	wazero   *wazeroEngine
}

var start = sync.OnceValues(func() (engines, error) {
	var e engines
	var errs [2]error
	var wg sync.WaitGroup
	wg.Go(func() { e.wasmtime, errs[0] = newWasmtime() })
	wg.Go(func() { e.wazero, errs[1] = newWazero() })
	wg.Wait()
	return e, errors.Join(errs[:]...)
})

func both(t *testing.T) engines {
	t.Helper()
	e, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// compare runs a program on both engines. What it returns is wazero's.
func (e engines) compare(source string, fuel, statements, slice int64) (outcome, error) {
	native, err := e.wasmtime.instance(fuel)
	if err != nil {
		return outcome{}, err
	}
	defer native.close()
	want, err := run(native, source, statements)
	if err != nil {
		return outcome{}, fmt.Errorf("wasmtime: %w", err)
	}
	metered, err := e.wazero.instance(fuel, slice)
	if err != nil {
		return outcome{}, err
	}
	defer metered.close()
	got, err := run(metered, source, statements)
	if err != nil {
		return outcome{}, fmt.Errorf("wazero: %w", err)
	}
	if got.trap != want.trap {
		return got, fmt.Errorf("trap %v, wasmtime %v", got.trap, want.trap)
	}
	if got.trap != nil {
		return got, nil
	}
	if got.output != want.output {
		return got, fmt.Errorf("output %q, wasmtime %q", got.output, want.output)
	}
	if got.fuel != want.fuel {
		return got, fmt.Errorf("fuel %d, wasmtime %d: %+d", got.fuel, want.fuel, got.fuel-want.fuel)
	}
	if got.statements != want.statements {
		return got, fmt.Errorf("statements %d, wasmtime %d", got.statements, want.statements)
	}
	return got, nil
}

// compareAll compares programs, several at a time. All but a few must end: a
// run that does not says little about the metering.
func compareAll(t *testing.T, programs []string, endless int) {
	e := both(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	ended := 0
	work := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range work {
				got, err := e.compare(programs[i], plentyFuel, plentyStatements, slices[i%len(slices)])
				mu.Lock()
				switch {
				case err != nil:
					t.Errorf("%v\n%s", err, programs[i])
				case got.trap == nil:
					ended++
				default:
					t.Logf("%v\n%s", got.trap, programs[i])
				}
				mu.Unlock()
			}
		})
	}
	for i := range programs {
		work <- i
	}
	close(work)
	wg.Wait()
	if ended < len(programs)-endless {
		t.Errorf("only %d of %d programs ended", ended, len(programs))
	}
}

// programs are those of testdata: one file an area, separated by blank lines.
func programs(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.js")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for source := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
			all = append(all, source)
		}
	}
	return all
}

func TestProgramsAgree(t *testing.T) {
	all := programs(t)
	if len(all) < 300 {
		t.Fatalf("only %d programs", len(all))
	}
	compareAll(t, all, 0)
}

func TestGeneratedProgramsAgree(t *testing.T) {
	all := make([]string, 250)
	for i := range all {
		all[i] = generate(rand.New(rand.NewPCG(uint64(i), 0)))
	}
	compareAll(t, all, 5)
}

// Both engines have to stop for the same reason, whatever the slice.
func TestTrapsAgree(t *testing.T) {
	const little, few = 60_000_000, 100_000
	for _, c := range []struct {
		source           string
		fuel, statements int64
		want             error
	}{
		{`for (;;);`, little, plentyStatements, errFuel},
		{`for (;;);`, plentyFuel, few, errUnreachable},
		{`(function f() { try { f() } finally { f() } })()`, little, plentyStatements, errFuel},
		{`'x'.repeat(1e6).split('').sort(() => 0)`, little, plentyStatements, errFuel},
		{`new Array(1e7) + ''`, little, plentyStatements, errFuel},
		{`/(x+x+)+y/.test('x'.repeat(40))`, little, plentyStatements, errFuel},
		{`(7n ** 100000n).toString()`, little, plentyStatements, errFuel},
		{`JSON.parse('[' + '1,'.repeat(1e6) + '1]')`, little, plentyStatements, errFuel},
		{`(function f() { Promise.resolve().then(f) })()`, little, plentyStatements, errFuel},
		{`(function f() { queueMicrotask(f) })()`, plentyFuel, few, errUnreachable},
		{`(function* g() { for (;;) yield 1 })().reduce(x => x, 0)`, plentyFuel, few, errUnreachable},
		{`for (const a = []; ; a.push({}));`, plentyFuel, few, errUnreachable},
	} {
		var first outcome
		for i, slice := range slices {
			if slice < 1_000_000 {
				continue // a host call every few hundred units takes seconds
			}
			got, err := both(t).compare(c.source, c.fuel, c.statements, slice)
			if err != nil || got.trap != c.want {
				t.Errorf("%s: %v, %v; want %v", c.source, got.trap, err, c.want)
			}
			if i == 0 {
				first = got
			}
			if got.fuel != first.fuel || got.statements != first.statements {
				t.Errorf("%s: stopped at fuel %d, statements %d with slices of %d, at %d, %d without", c.source, got.fuel, got.statements, slice, first.fuel, first.statements)
			}
		}
	}
}
