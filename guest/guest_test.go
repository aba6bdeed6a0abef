package guest_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/glovebox-run/glovebox/guest"
)

// machine runs one instance of the module with as little around it as it takes.
type machine struct {
	ctx            context.Context
	mod            api.Module
	rt, js         uint64
	granted, limit int64
	slice          int64
	calls          int
}

var errNoFuel = errors.New("out of fuel")

// engine is one compiled form of the module. Compiling is most of what a test
// costs, so tests share them.
type engine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

var (
	meteredEngine = sync.OnceValues(func() (*engine, error) { return load(guest.Metered) })
	linkedEngine  = sync.OnceValues(func() (*engine, error) { return load(guest.Linked) })
)

func load(form guest.Form) (*engine, error) {
	ctx := context.Background()
	code, err := guest.Build(form)
	if err != nil {
		return nil, err
	}
	of := func(ctx context.Context) *machine { return ctx.Value(current{}).(*machine) }
	r := wazero.NewRuntime(ctx)
	host := r.NewHostModuleBuilder(guest.HostModule)
	host.NewFunctionBuilder().WithFunc(func(ctx context.Context, js uint32, this uint64, argc, argv uint32) uint64 {
		of(ctx).calls++
		arg, _ := of(ctx).mod.Memory().ReadUint64Le(argv)
		return arg // an int: nothing to reference-count
	}).Export("call")
	host.NewFunctionBuilder().WithFunc(func(ctx context.Context, cur int64) int64 { return of(ctx).refuel(cur) }).Export("refuel")
	host.NewFunctionBuilder().WithFunc(func(uint32) uint64 { return 1_700_000_000_000_000_000 }).Export("clock")
	if _, err := host.Instantiate(ctx); err != nil {
		return nil, err
	}
	module, err := r.CompileModule(ctx, code)
	return &engine{r, module}, err
}

type current struct{}

func boot(t testing.TB, form guest.Form) *machine {
	t.Helper()
	e, err := meteredEngine()
	if form == guest.Linked {
		e, err = linkedEngine()
	}
	if err != nil {
		t.Fatal(err)
	}
	return e.boot(t)
}

func (e *engine) boot(t testing.TB) *machine {
	t.Helper()
	m := &machine{limit: 1 << 40, slice: 1 << 20}
	m.ctx = context.WithValue(context.Background(), current{}, m)
	var err error
	if m.mod, err = e.runtime.InstantiateModule(m.ctx, e.module, wazero.NewModuleConfig().WithName("")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.mod.Close(m.ctx) })
	m.set(guest.GlobalStatements, -1<<40)
	m.call(t, "_initialize")
	m.rt = m.call(t, "JS_NewRuntime")
	m.mod.Memory().WriteUint32Le(uint32(m.rt)+guest.StackLimitOffset, guest.StackLow+32<<10)
	m.js = m.call(t, "JS_NewContext", m.rt)
	return m
}

func (m *machine) refuel(cur int64) int64 {
	if m.granted == m.limit {
		panic(errNoFuel)
	}
	x := min(m.slice, m.limit-m.granted)
	m.granted += x
	return cur - x
}

func (m *machine) set(global string, v int64) {
	m.mod.ExportedGlobal(global).(api.MutableGlobal).Set(uint64(v))
}

func (m *machine) get(global string) int64 { return int64(m.mod.ExportedGlobal(global).Get()) }

func (m *machine) call(t testing.TB, name string, args ...uint64) uint64 {
	t.Helper()
	res, err := m.try(name, args...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return res
}

func (m *machine) try(name string, args ...uint64) (uint64, error) {
	res, err := m.mod.ExportedFunction(name).Call(m.ctx, args...)
	if err != nil || len(res) == 0 {
		return 0, err
	}
	return res[0], nil
}

func (m *machine) bytes(t testing.TB, s string) uint64 {
	p := m.call(t, "malloc", uint64(len(s)+1))
	m.mod.Memory().Write(uint32(p), append([]byte(s), 0))
	return p
}

// eval runs a script and gives its completion value, or the exception, as text.
func (m *machine) eval(t testing.TB, source string) (string, error) {
	v, err := m.try("JS_Eval", m.js, m.bytes(t, source), uint64(len(source)), m.bytes(t, "test.js"), 0)
	if err != nil {
		return "", err
	}
	if v == exception {
		v = m.call(t, "JS_GetException", m.js)
	}
	p := m.call(t, "JS_ToCStringLen2", m.js, 0, v, 0)
	text, _ := m.mod.Memory().Read(uint32(p), 4096)
	s, _, _ := strings.Cut(string(text), "\x00")
	return s, nil
}

// exception is JS_EXCEPTION: tag 6 in the upper half of a NaN-boxed value.
const exception = 6 << 32

func TestTheLinkedModuleRunsJavaScript(t *testing.T) {
	for _, form := range []guest.Form{guest.Metered, guest.Linked} {
		m := boot(t, form)
		for source, want := range map[string]string{
			"1+1":                              "2",
			"[3,1,2].sort().join()":            "1,2,3",
			"JSON.stringify({a:[1,null]})":     `{"a":[1,null]}`,
			"new Date().toISOString()":         "2023-11-14T22:13:20.000Z",
			"function f(){return f()+1}f()":    "RangeError: Maximum call stack size exceeded",
			"'x'.repeat(5).replace(/x/g,'yz')": "yzyzyzyzyz",
		} {
			if got, err := m.eval(t, source); err != nil || got != want {
				t.Errorf("form %d: %s = %q, %v; want %q", form, source, got, err, want)
			}
		}
	}
}

// What calls by number must reach is what calls by name reach.
func TestDispatchCallsTheFunctionsByNumber(t *testing.T) {
	m := boot(t, guest.Metered)
	by := func(name string, args ...uint64) uint64 {
		t.Helper()
		index := guest.DispatchIndex(name)
		if index < 0 {
			t.Fatalf("%s has no number", name)
		}
		args = append([]uint64{uint64(index)}, args...)
		return m.call(t, guest.Dispatch, append(args, make([]uint64, guest.DispatchParams-len(args))...)...)
	}
	const garbage = 0xdead << 32 // above an i32
	text, name := m.bytes(t, "40+2"), m.bytes(t, "test.js")
	value := by("JS_Eval", m.js|garbage, text, 4, name, 0)
	chars := by("JS_ToCStringLen2", m.js, 0, value, 0)
	if got, _ := m.mod.Memory().Read(uint32(chars), 3); string(got) != "42\x00" || chars>>32 != 0 {
		t.Errorf("got %q at %#x", got, chars)
	}
	if got := by("JS_FreeCString", m.js, chars); got != 0 {
		t.Errorf("a function without a result returned %d", got)
	}
	if _, err := m.try(guest.Dispatch, append([]uint64{uint64(len(guest.Exports()))}, make([]uint64, guest.DispatchParams-1)...)...); err == nil {
		t.Error("a number of no function did not trap")
	}
}

func TestAnEndlessLoopStopsOnFuel(t *testing.T) {
	m := boot(t, guest.Metered)
	m.limit = m.granted + 50_000_000
	_, err := m.eval(t, "for(;;);")
	if !errors.Is(err, errNoFuel) {
		t.Fatal(err)
	}
	if over := m.get(guest.GlobalFuel); over <= 0 || over > 10_000 {
		t.Errorf("stopped %d units after the limit", over)
	}
}

func TestWhereFuelEndsDoesNotDependOnTheSlice(t *testing.T) {
	for _, source := range []string{`for(;;);`, `'x'.repeat(1e5).split('').sort(()=>0)`, `/(x+x+)+y/.test('x'.repeat(40))`} {
		var first [2]int64
		for i, slice := range []int64{1 << 40, 5_000_000, 31_337, 777} {
			m := boot(t, guest.Metered)
			m.limit, m.slice = m.granted+20_000_000, slice
			_, err := m.eval(t, source)
			at := [2]int64{m.granted + m.get(guest.GlobalFuel), m.get(guest.GlobalStatements)}
			if i == 0 {
				first = at
			}
			if !errors.Is(err, errNoFuel) || at != first {
				t.Errorf("%s: stopped at %v with slices of %d, at %v without (%v)", source, at, slice, first, err)
			}
		}
	}
}

func TestAnEndlessLoopStopsOnStatements(t *testing.T) {
	m := boot(t, guest.Linked)
	m.set(guest.GlobalStatements, -10_000)
	_, err := m.eval(t, "for(;;);")
	if err == nil || m.get(guest.GlobalStatements) != 1 {
		t.Errorf("%v after %d statements too many, want a trap after 1", err, m.get(guest.GlobalStatements))
	}
}

func TestHostCallIsAJavaScriptFunction(t *testing.T) {
	m := boot(t, guest.Metered)
	fn := m.call(t, "JS_NewCFunction2", m.js, guest.HostCallElement, m.bytes(t, "echo"), 1, 0, 0)
	m.call(t, "JS_SetPropertyStr", m.js, m.call(t, "JS_GetGlobalObject", m.js), m.bytes(t, "echo"), fn)
	if got, err := m.eval(t, "echo(41) + 1"); err != nil || got != "42" || m.calls != 1 {
		t.Errorf("got %q, %v after %d calls", got, err, m.calls)
	}
}
