package jsengine

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/glovebox-run/glovebox/budget"
)

// worker is a Caller that spends: "work" charges as many units as the text says,
// "hold" and "keep" reserve as many bytes, "hide" charges and drops the error.
type worker struct{}

func (worker) Call(_ context.Context, account *budget.Account, op string, text, _ []byte) ([]byte, []byte, error) {
	var n int
	if _, err := fmt.Sscan(string(text), &n); err != nil {
		return nil, nil, err
	}
	switch op {
	case "work":
		return nil, nil, account.Charge(uint64(n))
	case "wrap":
		if err := account.Charge(uint64(n)); err != nil {
			return nil, nil, refusalError(`{"kind":"HELPER_RUNTIME","helper":"x","reason":"parse-failed","message":"out of fuel?"}`)
		}
	case "hide":
		_ = account.Charge(uint64(n))
	case "hold":
		return nil, nil, account.Hold(n)
	case "keep":
		return nil, nil, account.Keep(n)
	case "reply":
		return make([]byte, n), nil, nil
	}
	return nil, nil, nil
}

// What a host call spends is the guest's fuel: to the unit, in Usage and at the
// limit.
func TestHostWorkIsFuel(t *testing.T) {
	image := hostImage(t, `for (const [op, n] of list) host.call(op, String(n))`, "list")
	run := func(list string, fuel uint64) Outcome {
		return image.Call(t.Context(), Call{Caller: worker{}, Arguments: []byte(`{"list":` + list + `}`), Limits: Limits{Fuel: fuel}})
	}
	none := run(`[["work",1000000],["work",1000000]]`, 0)
	some := run(`[["work",9876543],["work",8765432]]`, 0)
	if none.Failure != nil || some.Failure != nil {
		t.Fatal(none.Failure, some.Failure)
	}
	if got, want := some.Usage.Fuel-none.Usage.Fuel, uint64(9876543+8765432-2000000); got != want {
		t.Errorf("%d units were added, want %d", got, want)
	}
	// The guest and the host share one limit: just enough, and one unit too few.
	if out := run(`[["work",9876543],["work",8765432]]`, some.Usage.Fuel); out.Failure != nil {
		t.Error(out.Failure)
	}
	for _, less := range []uint64{1000, 5_000_000, 8_765_432, 12_000_000} {
		out := run(`[["work",9876543],["work",8765432]]`, some.Usage.Fuel-less)
		if out.Failure == nil || out.Failure.Kind != FuelLimit {
			t.Errorf("%d too few: %v", less, out.Failure)
		}
		if out.Usage.Fuel > some.Usage.Fuel-less+1000 {
			t.Errorf("%d units were spent of %d", out.Usage.Fuel, some.Usage.Fuel-less)
		}
	}
}

// Nothing that JavaScript does, and nothing that a handler does with the error,
// lets a call go on when the account is exhausted.
func TestAnExhaustedAccountEndsTheCall(t *testing.T) {
	const fuel, memory = 100_000_000, 16 << 20
	for _, c := range []struct {
		body string
		want Kind
	}{
		{`host.call('work', '200000000')`, FuelLimit},
		{`host.call('wrap', '200000000')`, FuelLimit},
		{`host.call('hide', '200000000')`, FuelLimit},
		{`await host.start('work', '200000000').promise`, FuelLimit},
		{`await host.start('hide', '200000000').promise`, FuelLimit},
		{`host.wait(host.start('hide', '200000000').id)`, FuelLimit},
		{`for (;;) host.call('work', '1000')`, FuelLimit},
		{`const all = []; for (let i = 0; i < 100; i++) all.push(host.start('work', '20000000').promise.catch(() => 0)); await Promise.all(all)`, FuelLimit},
		{`host.call('hold', '20000000')`, MemoryLimit},
		{`for (;;) host.call('keep', '1000000')`, MemoryLimit},
		{`host.call('reply', '20000000')`, MemoryLimit},
		{`for (let i = 0; i < 100; i++) host.call('hold', '9000000'); host.call('hold', '20000000')`, MemoryLimit},
		{`const s = 'x'.repeat(9e6); host.call('work', s)`, MemoryLimit},
		{`const b = new Uint8Array(9e6); host.call('work', '1', b)`, MemoryLimit},
		{`host.call('keep', '8000000'); return 'x'.repeat(9e6)`, MemoryLimit},
	} {
		for _, body := range []string{c.body, `try { ` + c.body + ` } catch {} finally { for (let i = 0; i < 3; i++) try { ` + c.body + `} catch {} }`} {
			if c.want == MemoryLimit && body != c.body {
				continue // the guest's own allocations may fail in ways that can be caught
			}
			limits := Limits{Fuel: fuel, Memory: memory}
			if c.want == MemoryLimit {
				limits.Fuel = 0
			}
			out := hostImage(t, body).Call(t.Context(), Call{Caller: worker{}, Limits: limits})
			if out.Failure == nil || out.Failure.Kind != c.want {
				t.Errorf("%s: %v, want %s", body, out.Failure, c.want)
			}
			if out.Usage.PeakMemory > memory || limits.Fuel != 0 && out.Usage.Fuel > fuel+1000 {
				t.Errorf("%s: %d bytes, %d units", body, out.Usage.PeakMemory, out.Usage.Fuel)
			}
		}
	}
}

// A call that is out of fuel ends at the same point every time.
func TestTheEndIsRepeatable(t *testing.T) {
	image := hostImage(t, `let n = 0; for (;;) { host.call('work', String(n++ * 1000)); console.log(n) }`)
	var first Outcome
	for n := range 5 {
		out := image.Call(t.Context(), Call{Caller: worker{}, Seed: 1, Limits: Limits{Fuel: 300_000_000}})
		if n == 0 {
			first = out
		}
		if out.Failure == nil || out.Failure.Kind != FuelLimit || len(out.Logs) != len(first.Logs) || out.Usage.Fuel != first.Usage.Fuel {
			t.Errorf("%v after %d lines and %d units, first %d and %d", out.Failure, len(out.Logs), out.Usage.Fuel, len(first.Logs), first.Usage.Fuel)
		}
	}
}

// What one call has kept does not count against the next on the same instance.
func TestTheAccountEndsWithTheCall(t *testing.T) {
	image := hostImage(t, `host.call('keep', '9000000'); host.call('work', '60000000')`)
	for range 5 {
		if out := image.Call(t.Context(), Call{Caller: worker{}, Limits: Limits{Fuel: 100_000_000, Memory: 16 << 20}}); out.Failure != nil {
			t.Fatal(out.Failure)
		}
	}
}

// A host call sees the end of the guest's call while it works.
func TestHostWorkSeesCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	charging := callerWithAccount(func(account *budget.Account) error {
		cancel()
		for {
			if err := account.Charge(1000); err != nil {
				return err
			}
		}
	})
	out := hostImage(t, `host.call('x')`).Call(ctx, Call{Caller: charging})
	if out.Failure == nil || out.Failure.Kind != Cancelled || !errors.Is(out.Failure.Cause, context.Canceled) {
		t.Errorf("%+v", out.Failure)
	}
}

type callerWithAccount func(*budget.Account) error

func (f callerWithAccount) Call(_ context.Context, account *budget.Account, _ string, _, _ []byte) ([]byte, []byte, error) {
	return nil, nil, f(account)
}

// What follows pointers through the heap costs what it waits for: each prototype on the
// way and each key that is looked up, to the unit, and never an instruction that wasmtime
// would not count.
func TestPointersOverTheHeapCostMore(t *testing.T) {
	e := testEngine(t)
	bulk := func(setup, work string, n int) uint64 {
		t.Helper()
		image := testImage(t, e, fmt.Sprintf("const n = %d; %s; %s", n, setup, work))
		out := image.Call(context.Background(), Call{Seed: 1})
		if out.Failure != nil {
			t.Fatal(out.Failure)
		}
		return out.Usage.Bulk
	}
	chain := "let o = null; for (let i = 0; i < 300; i++) o = Object.create(o)"
	keys := "const m = new Map([[1, 1]])"
	for _, c := range []struct {
		setup, once string
		places      uint64 // that cost 400
	}{
		{chain, "o.nothing", 300},
		{chain, "'nothing' in o", 300},
		{chain, "o instanceof Object", 301},                           // and one to Function.prototype, where it is defined
		{chain, "Object.prototype.isPrototypeOf.call(Array, o)", 301}, // and one to call
		{keys, "m.get(1)", 2},                                         // and one to Map.prototype
		{keys, "m.has(2)", 2},
	} {
		few, more := bulk(c.setup, "for (let i = 0; i < n; i++) "+c.once, 10), bulk(c.setup, "for (let i = 0; i < n; i++) "+c.once, 20)
		if got := (more - few) / 10; got != c.places*400 {
			t.Errorf("%s costs %d beyond its instructions, want %d", c.once, got, c.places*400)
		}
	}
}
