package oracle

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/bytecodealliance/wasmtime-go/v39"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/glovebox-run/glovebox/guest"
)

// instance is the guest in one of the two engines.
type instance interface {
	call(name string, args ...uint64) (uint64, error) // a trap is an error
	read(addr, size uint32) []byte
	write(addr uint32, data []byte)
	global(name string) int64
	setGlobal(name string, v int64)
	fuel() int64 // consumed so far, without the surcharge for bulk operations
	close()
}

// Limits of a run. The guest's stack is far smaller than it could be because
// wasmtime's own must be larger than what the guest can fill.
const (
	stackSize   = 200 << 10
	wasmStack   = 6 << 20
	memoryPages = 1024 // 64 MiB
)

// Traps, by kind.
var (
	errFuel        = errors.New("out of fuel")
	errUnreachable = errors.New("unreachable")
)

// clock is what the guest sees as time: it moves a millisecond a look.
type clock struct{ looks uint64 }

func (c *clock) now() uint64 {
	c.looks++
	return 1_700_000_000_000_000_000 + c.looks*1_000_000
}

// wasmtimeEngine runs the linked module. Compiling it takes seconds, so there
// is one.
type wasmtimeEngine struct {
	engine *wasmtime.Engine
	module *wasmtime.Module
}

func newWasmtime() (*wasmtimeEngine, error) {
	code, err := guest.Build(guest.Linked)
	if err != nil {
		return nil, err
	}
	config := wasmtime.NewConfig()
	config.SetConsumeFuel(true)
	config.SetMaxWasmStack(wasmStack)
	engine := wasmtime.NewEngineWithConfig(config)
	module, err := wasmtime.NewModule(engine, code)
	return &wasmtimeEngine{engine, module}, err
}

type wasmtimeInstance struct {
	store  *wasmtime.Store
	inst   *wasmtime.Instance
	memory *wasmtime.Memory
	limit  uint64
}

func (e *wasmtimeEngine) instance(fuel int64) (instance, error) {
	w := &wasmtimeInstance{store: wasmtime.NewStore(e.engine), limit: uint64(fuel)}
	w.store.Limiter(memoryPages<<16, -1, -1, -1, -1)
	if err := w.store.SetFuel(w.limit); err != nil {
		return nil, err
	}
	linker := wasmtime.NewLinker(e.engine)
	var c clock
	for name, f := range map[string]any{
		"call":   func(ctx int32, this int64, argc, argv int32) int64 { return undefined },
		"refuel": func(cur int64) int64 { return cur },
		"clock":  func(int32) int64 { return int64(c.now()) },
	} {
		if err := linker.DefineFunc(w.store, guest.HostModule, name, f); err != nil {
			return nil, err
		}
	}
	inst, err := linker.Instantiate(w.store, e.module)
	if err != nil {
		return nil, err
	}
	w.inst, w.memory = inst, inst.GetExport(w.store, guest.Memory).Memory()
	return w, nil
}

func (w *wasmtimeInstance) call(name string, args ...uint64) (uint64, error) {
	fn := w.inst.GetFunc(w.store, name)
	params := fn.Type(w.store).Params()
	vals := make([]any, len(args))
	for i, a := range args {
		if params[i].Kind() == wasmtime.KindI32 {
			vals[i] = int32(a)
		} else {
			vals[i] = int64(a)
		}
	}
	res, err := fn.Call(w.store, vals...)
	var trap *wasmtime.Trap
	if errors.As(err, &trap) && trap.Code() != nil {
		// Out of fuel arrives as 12; the Go constant is 11 because the C
		// enumeration has since gained a value before it.
		switch *trap.Code() {
		case wasmtime.OutOfFuel + 1:
			return 0, errFuel
		case wasmtime.UnreachableCodeReached:
			return 0, errUnreachable
		}
	}
	if err != nil {
		return 0, err
	}
	switch v := res.(type) {
	case int32:
		return uint64(uint32(v)), nil
	case int64:
		return uint64(v), nil
	}
	return 0, nil
}

func (w *wasmtimeInstance) read(addr, size uint32) []byte {
	return append([]byte(nil), w.memory.UnsafeData(w.store)[addr:addr+size]...)
}

func (w *wasmtimeInstance) write(addr uint32, data []byte) {
	copy(w.memory.UnsafeData(w.store)[addr:], data)
}

func (w *wasmtimeInstance) global(name string) int64 {
	return w.inst.GetExport(w.store, name).Global().Get(w.store).I64()
}

func (w *wasmtimeInstance) setGlobal(name string, v int64) {
	if err := w.inst.GetExport(w.store, name).Global().Set(w.store, wasmtime.ValI64(v)); err != nil {
		panic(err)
	}
}

func (w *wasmtimeInstance) fuel() int64 {
	left, err := w.store.GetFuel()
	if err != nil {
		panic(err)
	}
	return int64(w.limit - left)
}

func (w *wasmtimeInstance) close() { w.store.Close() }

// wazeroEngine runs the metered module.
type wazeroEngine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

type current struct{}

func newWazero() (*wazeroEngine, error) {
	ctx := context.Background()
	code, err := guest.Build(guest.Metered)
	if err != nil {
		return nil, err
	}
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(memoryPages))
	host := r.NewHostModuleBuilder(guest.HostModule)
	of := func(ctx context.Context) *wazeroInstance { return ctx.Value(current{}).(*wazeroInstance) }
	host.NewFunctionBuilder().WithFunc(func(js uint32, this uint64, argc, argv uint32) uint64 { return undefined }).Export("call")
	host.NewFunctionBuilder().WithFunc(func(ctx context.Context, cur int64) int64 { return of(ctx).refuel(cur) }).Export("refuel")
	host.NewFunctionBuilder().WithFunc(func(ctx context.Context, id uint32) uint64 { return of(ctx).clock.now() }).Export("clock")
	if _, err := host.Instantiate(ctx); err != nil {
		return nil, err
	}
	module, err := r.CompileModule(ctx, code)
	return &wazeroEngine{r, module}, err
}

type wazeroInstance struct {
	ctx                   context.Context
	mod                   api.Module
	clock                 clock
	granted, limit, slice int64
}

func (e *wazeroEngine) instance(fuel, slice int64) (instance, error) {
	w := &wazeroInstance{limit: fuel, slice: slice}
	w.ctx = context.WithValue(context.Background(), current{}, w)
	mod, err := e.runtime.InstantiateModule(w.ctx, e.module, wazero.NewModuleConfig().WithName(""))
	w.mod = mod
	return w, err
}

func (w *wazeroInstance) refuel(cur int64) int64 {
	if w.granted == w.limit {
		panic(errFuel)
	}
	x := min(w.slice, w.limit-w.granted)
	w.granted += x
	return cur - x
}

func (w *wazeroInstance) call(name string, args ...uint64) (uint64, error) {
	res, err := w.mod.ExportedFunction(name).Call(w.ctx, args...)
	if err != nil {
		switch {
		case errors.Is(err, errFuel):
			err = errFuel
		case strings.HasPrefix(err.Error(), "wasm error: unreachable"):
			err = errUnreachable
		}
		return 0, err
	}
	if len(res) == 0 {
		return 0, nil
	}
	return res[0], nil
}

func (w *wazeroInstance) read(addr, size uint32) []byte {
	b, _ := w.mod.Memory().Read(addr, size)
	return append([]byte(nil), b...)
}

func (w *wazeroInstance) write(addr uint32, data []byte) { w.mod.Memory().Write(addr, data) }

func (w *wazeroInstance) global(name string) int64 {
	return int64(w.mod.ExportedGlobal(name).Get())
}

func (w *wazeroInstance) setGlobal(name string, v int64) {
	w.mod.ExportedGlobal(name).(api.MutableGlobal).Set(uint64(v))
}

func (w *wazeroInstance) fuel() int64 {
	return w.granted + w.global(guest.GlobalFuel) - w.global(guest.GlobalBulk)
}

func (w *wazeroInstance) close() { w.mod.Close(w.ctx) }

// Values of the NaN-boxed JSValue: the tag is the upper half.
const (
	undefined = 3 << 32
	exception = 6 << 32
)

// outcome is what a run leaves behind.
type outcome struct {
	output     string
	trap       error
	fuel       int64
	statements int64
}

// run boots the guest, evaluates a script as an async program and drains its
// jobs. The output is the script's completion value as text.
func run(in instance, source string, statements int64) (o outcome, err error) {
	in.setGlobal(guest.GlobalStatements, -statements)
	defer func() {
		o.fuel, o.statements = in.fuel(), in.global(guest.GlobalStatements)+statements
		if err == errFuel || err == errUnreachable {
			o.trap, err = err, nil
		}
	}()
	if _, err := in.call("_initialize"); err != nil {
		return o, err
	}
	rt, err := in.call("JS_NewRuntime")
	if err != nil {
		return o, err
	}
	var limit [4]byte
	binary.LittleEndian.PutUint32(limit[:], guest.StackHigh-stackSize)
	in.write(uint32(rt)+guest.StackLimitOffset, limit[:])
	js, err := in.call("JS_NewContext", rt)
	if err != nil {
		return o, err
	}
	text, err := place(in, source)
	if err != nil {
		return o, err
	}
	name, err := place(in, "test.js")
	if err != nil {
		return o, err
	}
	v, err := in.call("JS_Eval", js, text, uint64(len(source)), name, 0)
	if err != nil {
		return o, err
	}
	for {
		// The second argument is where the job's context goes.
		more, err := in.call("JS_ExecutePendingJob", rt, name)
		if err != nil {
			return o, err
		}
		if int32(more) <= 0 {
			break
		}
	}
	if v == exception {
		if v, err = in.call("JS_GetException", js); err != nil {
			return o, err
		}
		o.output = "threw "
	}
	out, err := in.call("JS_ToCStringLen2", js, name, v, 0)
	if err != nil {
		return o, err
	}
	if out == 0 {
		o.output += "(no text)"
		return o, nil
	}
	size := binary.LittleEndian.Uint32(in.read(uint32(name), 4))
	o.output += string(in.read(uint32(out), size))
	return o, nil
}

// place puts a C string into the guest.
func place(in instance, s string) (uint64, error) {
	p, err := in.call("malloc", uint64(len(s)+8))
	if err != nil {
		return 0, err
	}
	if p == 0 || p > math.MaxUint32 {
		return 0, fmt.Errorf("malloc gave %d", p)
	}
	in.write(uint32(p), append([]byte(s), 0))
	return p, nil
}
