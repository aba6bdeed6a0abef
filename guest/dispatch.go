package guest

import (
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// DispatchParams are the parameters of Dispatch: the index of a function of
// Exports, and its arguments as i64, the rest unused.
const DispatchParams = 1 + dispatchArguments

// dispatchArguments is the largest number of arguments that one of the functions
// takes.
const dispatchArguments = 6

// DispatchIndex returns the first argument of Dispatch for the given function, or
// -1 for a function that is not in Exports.
func DispatchIndex(name string) int { return slices.Index(Exports(), name) }

// dispatch adds the function that calls any other of Exports by its index there:
//
//	block ... block   one for each, the first innermost
//	  br_table        on the first parameter
//	end               the first function: arguments, call, return
//	...
//	end
//	unreachable
func (l *linker) dispatch() error {
	m := l.m
	f := wasm.Func{Type: m.TypeIndex(dispatchType())}
	functions := Exports()
	for range len(functions) + 1 {
		f.Code = append(f.Code, wasm.I(wasm.OpBlock, wasm.EmptyBlock))
	}
	table := wasm.I(wasm.OpBrTable, 0)
	table.Imm2 = uint32(len(functions)) + 1
	for i := range table.Imm2 {
		f.Labels = append(f.Labels, i)
	}
	f.Code = append(f.Code, wasm.I(wasm.OpLocalGet, 0), table, wasm.I(wasm.OpEnd))
	for _, name := range functions {
		at := slices.IndexFunc(m.Exports, func(e wasm.Export) bool { return e.Name == name })
		target := m.Exports[at].Index
		typ, ok := m.FuncTypeOf(target)
		if !ok || len(typ.Params) > dispatchArguments {
			return fmt.Errorf("%s takes %d arguments", name, len(typ.Params))
		}
		for i, param := range typ.Params {
			f.Code = append(f.Code, wasm.I(wasm.OpLocalGet, uint64(1+i)))
			if param == wasm.I32 {
				f.Code = append(f.Code, wasm.I(wasm.OpI32WrapI64))
			}
		}
		f.Code = append(f.Code, wasm.I(wasm.OpCall, uint64(target)))
		switch {
		case len(typ.Results) == 0:
			f.Code = append(f.Code, wasm.I(wasm.OpI64Const, 0))
		case typ.Results[0] == wasm.I32:
			f.Code = append(f.Code, wasm.I(wasm.OpI64ExtendU))
		}
		f.Code = append(f.Code, wasm.I(wasm.OpReturn), wasm.I(wasm.OpEnd))
	}
	f.Code = append(f.Code, wasm.I(wasm.OpUnreachable), wasm.I(wasm.OpEnd))
	m.Exports = append(m.Exports, wasm.Export{Name: Dispatch, Kind: wasm.KindFunc, Index: uint32(m.ImportedFuncs() + len(m.Funcs))})
	m.Funcs = append(m.Funcs, f)
	return nil
}

func dispatchType() wasm.FuncType {
	typ := wasm.FuncType{Params: []wasm.ValType{wasm.I32}, Results: []wasm.ValType{wasm.I64}}
	for range dispatchArguments {
		typ.Params = append(typ.Params, wasm.I64)
	}
	return typ
}
