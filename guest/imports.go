package guest

import (
	"errors"
	"fmt"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// hostImports are all the functions the linked module imports.
func hostImports() []hostImport {
	const i32, i64 = wasm.I32, wasm.I64
	return []hostImport{
		{"call", wasm.FuncType{Params: []wasm.ValType{i32, i64, i32, i32}, Results: []wasm.ValType{i64}}},
		{"refuel", wasm.FuncType{Params: []wasm.ValType{i64}, Results: []wasm.ValType{i64}}},
		{"clock", wasm.FuncType{Params: []wasm.ValType{i32}, Results: []wasm.ValType{i64}}},
	}
}

type hostImport struct {
	name string
	typ  wasm.FuncType
}

// Indices of hostImports.
const (
	importCall  = 0
	importClock = 2
)

// wasiBadf is what a WASI call returns for a descriptor that is not open.
const wasiBadf = 8

// wasiStub returns the body that replaces a WASI import. Clock calls reach the
// host's clock; there is no environment, no exit, and no file.
func wasiStub(name string) []wasm.Instr {
	store32 := wasm.I(wasm.OpI32Store)
	store32.Imm2 = 2 // alignment
	store64 := wasm.I(wasm.OpI64Store)
	store64.Imm2 = 3
	end, zero := wasm.I(wasm.OpEnd), wasm.I(wasm.OpI32Const, 0)
	get := func(i uint64) wasm.Instr { return wasm.I(wasm.OpLocalGet, i) }
	switch name {
	case "clock_time_get": // (id, precision, result address)
		return []wasm.Instr{get(2), get(0), wasm.I(wasm.OpCall, importClock), store64, zero, end}
	case "environ_sizes_get": // (count address, size address)
		return []wasm.Instr{get(0), zero, store32, get(1), zero, store32, zero, end}
	case "proc_exit":
		return []wasm.Instr{wasm.I(wasm.OpUnreachable), end}
	default:
		return []wasm.Instr{wasm.I(wasm.OpI32Const, wasiBadf), end}
	}
}

// replaceImports puts our imports in the place of WASI's and makes a function of
// each WASI import. Old function index i becomes i + len(hostImports).
func (l *linker) replaceImports() error {
	m := l.m
	stubs := make([]wasm.Func, 0, len(m.Imports)+1)
	for _, im := range m.Imports {
		if im.Kind != wasm.KindFunc || im.Module != "wasi_snapshot_preview1" {
			return fmt.Errorf("unexpected import %s.%s", im.Module, im.Name)
		}
		stubs = append(stubs, wasm.Func{Type: im.Type, Code: wasiStub(im.Name)})
	}
	shift := uint32(len(hostImports()))
	trap := shift + uint32(len(stubs)+len(m.Funcs))
	renumber := func(i uint32) (uint32, error) {
		switch i {
		case trapFunc:
			return trap, nil
		case hostCallFunc:
			return importCall, nil
		default:
			return i + shift, nil
		}
	}
	if err := renumberFuncs(m, renumber); err != nil {
		return err
	}
	m.Imports = nil
	for _, h := range hostImports() {
		m.Imports = append(m.Imports, wasm.Import{Module: HostModule, Name: h.name, Kind: wasm.KindFunc, Type: m.TypeIndex(h.typ)})
	}
	m.Funcs = append(stubs, m.Funcs...)
	m.Funcs = append(m.Funcs, wasm.Func{Type: m.TypeIndex(wasm.FuncType{}), Code: []wasm.Instr{wasm.I(wasm.OpUnreachable), wasm.I(wasm.OpEnd)}})
	return nil
}

// renumberFuncs rewrites every reference to a function.
func renumberFuncs(m *wasm.Module, to func(uint32) (uint32, error)) error {
	if m.Start != nil {
		return errors.New("the module has a start function")
	}
	for i := range m.Funcs {
		for k := range m.Funcs[i].Code {
			in := &m.Funcs[i].Code[k]
			if in.Op != wasm.OpCall && in.Op != wasm.OpRefFunc {
				continue
			}
			n, err := to(uint32(in.Imm))
			if err != nil {
				return err
			}
			in.Imm = uint64(n)
		}
	}
	for i := range m.Exports {
		e := &m.Exports[i]
		if e.Kind != wasm.KindFunc {
			continue
		}
		n, err := to(e.Index)
		if err != nil {
			return err
		}
		e.Index = n
	}
	for i := range m.Elems {
		if m.Elems[i].Exprs != nil {
			return errors.New("an element segment holds expressions")
		}
		for k, index := range m.Elems[i].Funcs {
			n, err := to(index)
			if err != nil {
				return err
			}
			m.Elems[i].Funcs[k] = n
		}
	}
	return nil
}
