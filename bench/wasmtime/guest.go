package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/bytecodealliance/wasmtime-go/v39"

	"github.com/glovebox-run/glovebox/guest"
)

// Stacks, in bytes: wasmtime's own must be larger than what the guest can fill.
const (
	stackSize = 200 << 10
	wasmStack = 6 << 20
)

// Values of the NaN-boxed JSValue: the tag is the upper half.
const (
	undefined = 3 << 32
	exception = 6 << 32
)

// machine is the compiled guest, and the memory of one that has booted.
type machine struct {
	engine *wasmtime.Engine
	module *wasmtime.Module
	linker *wasmtime.Linker

	booted       []piece
	size         int
	stackPointer int32
	runtime, js  int64
}

// piece is a part of memory that is not zero.
type piece struct {
	at    int
	bytes []byte
}

// instance is one guest. After an error its functions do nothing.
type instance struct {
	store  *wasmtime.Store
	inst   *wasmtime.Instance
	memory *wasmtime.Memory
	err    error

	runtime, js int64
}

func newMachine() (*machine, error) {
	code, err := guest.Build(guest.Metered)
	if err != nil {
		return nil, err
	}
	config := wasmtime.NewConfig()
	config.SetMaxWasmStack(wasmStack)
	config.SetCraneliftOptLevel(wasmtime.OptLevelSpeed)
	m := &machine{engine: wasmtime.NewEngineWithConfig(config)}
	if m.module, err = wasmtime.NewModule(m.engine, code); err != nil {
		return nil, err
	}
	m.linker = wasmtime.NewLinker(m.engine)
	for name, f := range map[string]any{
		"call":   func(ctx int32, this int64, argc, argv int32) int64 { return undefined },
		"refuel": func(fuel int64) int64 { return fuel - 1<<50 }, // asked once: nothing stops a program
		"clock":  func(int32) int64 { return 1_700_000_000_000_000_000 },
	} {
		if err := m.linker.FuncWrap(guest.HostModule, name, f); err != nil {
			return nil, err
		}
	}
	return m, m.boot()
}

// boot starts QuickJS once and keeps what memory it leaves.
func (m *machine) boot() error {
	i, err := m.newInstance()
	if err != nil {
		return err
	}
	defer i.store.Close()
	i.call("_initialize")
	i.runtime = i.call("JS_NewRuntime")
	if i.err != nil {
		return i.err
	}
	var limit [4]byte
	binary.LittleEndian.PutUint32(limit[:], guest.StackHigh-stackSize)
	i.write(i.runtime+guest.StackLimitOffset, limit[:])
	i.js = i.call("JS_NewContext", i.runtime)
	if i.err != nil {
		return i.err
	}
	memory := i.memory.UnsafeData(i.store)
	m.size, m.runtime, m.js = len(memory), i.runtime, i.js
	m.stackPointer = i.inst.GetExport(i.store, guest.GlobalStack).Global().Get(i.store).I32()
	const page = 4 << 10
	for at := 0; at < len(memory); at += page {
		if part := memory[at : at+page]; bytes.Count(part, []byte{0}) < page {
			m.booted = append(m.booted, piece{at, bytes.Clone(part)})
		}
	}
	return nil
}

func (m *machine) newInstance() (*instance, error) {
	i := &instance{store: wasmtime.NewStore(m.engine)}
	var err error
	if i.inst, err = m.linker.Instantiate(i.store, m.module); err != nil {
		i.store.Close()
		return nil, err
	}
	i.memory = i.inst.GetExport(i.store, guest.Memory).Memory()
	i.set(guest.GlobalStatements, wasmtime.ValI64(-1<<50))
	return i, i.err
}

// restore makes a new instance the one that has booted.
func (i *instance) restore(m *machine) {
	const wasmPage = 64 << 10
	if missing := m.size - int(i.memory.DataSize(i.store)); missing > 0 {
		if _, err := i.memory.Grow(i.store, uint64(missing/wasmPage)); err != nil {
			i.err = err
			return
		}
	}
	memory := i.memory.UnsafeData(i.store)
	for _, p := range m.booted {
		copy(memory[p.at:], p.bytes)
	}
	i.set(guest.GlobalStack, wasmtime.ValI32(m.stackPointer))
	i.runtime, i.js = m.runtime, m.js
}

func (i *instance) set(global string, v wasmtime.Val) {
	i.err = errors.Join(i.err, i.inst.GetExport(i.store, global).Global().Set(i.store, v))
}

// call calls a function of the guest; pointers and ints are 32 bits, values 64.
func (i *instance) call(name string, args ...int64) int64 {
	if i.err != nil {
		return 0
	}
	f := i.inst.GetFunc(i.store, name)
	params := f.Type(i.store).Params()
	given := make([]any, len(args))
	for n, a := range args {
		if given[n] = a; params[n].Kind() == wasmtime.KindI32 {
			given[n] = int32(a)
		}
	}
	result, err := f.Call(i.store, given...)
	if err != nil {
		i.err = fmt.Errorf("%s: %w", name, err)
		return 0
	}
	switch v := result.(type) {
	case int32:
		return int64(uint32(v))
	case int64:
		return v
	}
	return 0
}

// place puts a C string into the guest.
func (i *instance) place(text string) int64 {
	at := i.call("malloc", int64(len(text)+1))
	i.write(at, append([]byte(text), 0))
	return at
}

func (i *instance) write(at int64, data []byte) {
	if i.err == nil {
		copy(i.memory.UnsafeData(i.store)[at:], data)
	}
}

// eval runs a script and returns its value as text.
func (i *instance) eval(source string) string {
	text, name := i.place(source), i.place("bench.js")
	value := i.call("JS_Eval", i.js, text, int64(len(source)), name, 0)
	threw := value == exception
	if threw {
		value = i.call("JS_GetException", i.js)
	}
	// Where the length goes, the name is not needed any more.
	at := i.call("JS_ToCStringLen2", i.js, name, value, 0)
	if i.err != nil {
		return ""
	}
	memory := i.memory.UnsafeData(i.store)
	out := string(memory[at : at+int64(binary.LittleEndian.Uint32(memory[name:]))])
	if threw {
		i.err = errors.New(out)
	}
	return out
}
