package special

import "github.com/glovebox-run/glovebox/guest/internal/wasm"

// unit is what the functions of one output share.
type unit struct {
	*Interpreter
	snapshot   *Snapshot
	imports    []uint32 // functions of the guest
	index      map[uint32]uint64
	operations int
}

// imported is the index in the output of a function of the guest.
func (u *unit) imported(function uint32) uint64 {
	k, ok := u.index[function]
	if !ok {
		k = uint64(len(u.imports))
		u.index[function] = k
		u.imports = append(u.imports, function)
	}
	return k
}

// Compiled is a module with the loops of functions.
type Compiled struct {
	Module []byte
	Enters []uint32 // addresses of the operations that OpEnter replaces
}

// Bounds of one output. wazero compiles some 1,000 instructions in a millisecond.
const (
	mostInstructions = 120_000
	mostOperations   = 4_000
)

// Compile compiles loops of functions, in their order, until the bounds are reached. The
// module puts its entry at element of the guest's table.
func (t *Interpreter) Compile(snapshot *Snapshot, functions []Function, element uint32) *Compiled {
	u := &unit{Interpreter: t, snapshot: snapshot, index: map[uint32]uint64{}}
	c := &Compiled{}
	var funcs []wasm.Func
	var entries []int // by Enters: the function
	instructions := 0
	for _, f := range functions {
		all := snapshot.loops(f)
		for _, l := range all {
			if u.operations >= mostOperations {
				break
			}
			fn, ok := u.compileLoop(f, l, all)
			if !ok || instructions+len(fn.Code) > mostInstructions {
				continue
			}
			instructions += len(fn.Code)
			for _, at := range l.back {
				c.Enters = append(c.Enters, at)
				entries = append(entries, len(funcs))
			}
			funcs = append(funcs, fn)
		}
	}
	c.Module = wasm.Encode(u.module(funcs, c.Enters, entries, element))
	return c
}

// module puts functions together, with the one that chooses among them.
func (u *unit) module(funcs []wasm.Func, enters []uint32, entries []int, element uint32) *wasm.Module {
	m := &wasm.Module{Types: []wasm.FuncType{u.signature}}
	for _, i := range u.imports {
		m.Imports = append(m.Imports, wasm.Import{Module: Module, Name: u.names[i], Kind: wasm.KindFunc, Type: m.TypeIndex(u.signatures[i])})
	}
	for _, name := range []string{u.globals.Fuel, u.globals.Statements, u.globals.Bulk} {
		m.Imports = append(m.Imports, wasm.Import{Module: Module, Name: name, Kind: wasm.KindGlobal, Global: wasm.GlobalType{Type: wasm.I64, Mutable: true}})
	}
	m.Imports = append(m.Imports,
		wasm.Import{Module: Module, Name: u.globals.Memory, Kind: wasm.KindMemory, Memory: u.memory},
		wasm.Import{Module: Module, Name: Table, Kind: wasm.KindTable, Table: u.table})
	first := uint64(len(u.imports))
	var chooser []wasm.Instr
	pc := uint64(0)
	for i, h := range u.shared {
		if h == LocalPC {
			pc = uint64(i)
		}
	}
	for k, at := range enters {
		chooser = append(chooser, wasm.I(wasm.OpLocalGet, pc), wasm.I(wasm.OpI32Const, uint64(at+1)), wasm.I(wasm.OpI32Eq), wasm.I(wasm.OpIf, wasm.EmptyBlock))
		for i := range u.shared {
			chooser = append(chooser, wasm.I(wasm.OpLocalGet, uint64(i)))
		}
		chooser = append(chooser, wasm.I(wasm.OpCall, first+uint64(entries[k])), wasm.I(wasm.OpReturn), wasm.I(wasm.OpEnd))
	}
	chooser = append(chooser, wasm.I(wasm.OpUnreachable), wasm.I(wasm.OpEnd))
	m.Funcs = append(funcs, wasm.Func{Code: chooser})
	m.Elems = []wasm.Elem{{
		Offset: []wasm.Instr{wasm.I(wasm.OpI32Const, uint64(element)), wasm.I(wasm.OpEnd)},
		Type:   wasm.FuncRef, Funcs: []uint32{uint32(first) + uint32(len(funcs))},
	}}
	return m
}
