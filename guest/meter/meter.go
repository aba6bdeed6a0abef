// Package meter makes a module count its own work.
package meter

import (
	"fmt"

	"github.com/glovebox-run/glovebox/guest/wasm"
)

// Names are what the metered module imports and exports.
type Names struct {
	Module, Refuel string // an imported function (i64) -> (i64)
	Fuel, Bulk     string // exported globals
}

// Cost is the fuel of one operator: wasmtime's table, so that its own counter
// checks ours.
func Cost(op wasm.Op) int64 {
	switch op {
	case wasm.OpNop, wasm.OpDrop, wasm.OpBlock, wasm.OpLoop, wasm.OpUnreachable, wasm.OpReturn, wasm.OpElse, wasm.OpEnd:
		return 0
	}
	return 1
}

// entryCost is charged once a call.
const entryCost = 1

type rewriter struct {
	m          *wasm.Module
	fuel, bulk uint64 // globals
	refuel     uint64 // function: make fuel negative again or trap
	copy, fill uint64 // functions: charge by size, then do it
}

// Apply meters m in place.
func Apply(m *wasm.Module, n Names) error {
	r := rewriter{m: m}
	imported := -1
	k := 0
	for _, im := range m.Imports {
		if im.Kind != wasm.KindFunc {
			continue
		}
		if im.Module == n.Module && im.Name == n.Refuel {
			imported = k
		}
		k++
	}
	if imported < 0 {
		return fmt.Errorf("meter: no import %s.%s", n.Module, n.Refuel)
	}
	globals := uint64(m.ImportedGlobals() + len(m.Globals))
	r.fuel, r.bulk = globals, globals+1
	m.Globals = append(m.Globals, wasm.Counter(), wasm.Counter())
	m.Exports = append(m.Exports,
		wasm.Export{Name: n.Fuel, Kind: wasm.KindGlobal, Index: uint32(r.fuel)},
		wasm.Export{Name: n.Bulk, Kind: wasm.KindGlobal, Index: uint32(r.bulk)})
	next := uint64(m.ImportedFuncs() + len(m.Funcs))
	r.refuel, r.copy, r.fill = next, next+1, next+2
	for i := range m.Funcs {
		r.function(&m.Funcs[i])
	}
	m.Funcs = append(m.Funcs,
		wasm.Func{Type: m.TypeIndex(wasm.FuncType{}), Code: []wasm.Instr{
			wasm.I(wasm.OpGlobalGet, r.fuel), wasm.I(wasm.OpCall, uint64(imported)), wasm.I(wasm.OpGlobalSet, r.fuel), wasm.I(wasm.OpEnd)}},
		r.bulkFunc(wasm.OpMemoryCopy), r.bulkFunc(wasm.OpMemoryFill))
	return nil
}

// bulkFunc does one bulk operation after charging one unit a byte for it: a
// loop of large copies would otherwise run for seconds on little fuel.
func (r *rewriter) bulkFunc(op wasm.Op) wasm.Func {
	i32 := wasm.I32
	add := func(global uint64) []wasm.Instr {
		return []wasm.Instr{wasm.I(wasm.OpGlobalGet, global), wasm.I(wasm.OpLocalGet, 2), wasm.I(wasm.OpI64ExtendU), wasm.I(wasm.OpI64Add), wasm.I(wasm.OpGlobalSet, global)}
	}
	code := append(add(r.fuel), add(r.bulk)...)
	code = append(code, r.check()...)
	code = append(code, wasm.I(wasm.OpLocalGet, 0), wasm.I(wasm.OpLocalGet, 1), wasm.I(wasm.OpLocalGet, 2), wasm.I(op), wasm.I(wasm.OpEnd))
	return wasm.Func{Type: r.m.TypeIndex(wasm.FuncType{Params: []wasm.ValType{i32, i32, i32}}), Code: code}
}

func (r *rewriter) charge(units int64) []wasm.Instr {
	return []wasm.Instr{wasm.I(wasm.OpGlobalGet, r.fuel), wasm.I(wasm.OpI64Const, uint64(units)), wasm.I(wasm.OpI64Add), wasm.I(wasm.OpGlobalSet, r.fuel)}
}

func (r *rewriter) check() []wasm.Instr {
	return []wasm.Instr{wasm.I(wasm.OpGlobalGet, r.fuel), wasm.I(wasm.OpI64Const, 0), wasm.I(wasm.OpI64GtS),
		wasm.I(wasm.OpIf, wasm.EmptyBlock), wasm.I(wasm.OpCall, r.refuel), wasm.I(wasm.OpEnd)}
}

// function charges every straight run of instructions where it begins, and
// checks at the entry and at loop headers.
func (r *rewriter) function(f *wasm.Func) {
	out := make([]wasm.Instr, 0, len(f.Code)*2)
	var run []wasm.Instr
	cost, check := int64(entryCost), true
	flush := func() {
		if cost != 0 {
			out = append(out, r.charge(cost)...)
		}
		if check {
			out = append(out, r.check()...)
		}
		out = append(out, run...)
		run, cost, check = run[:0], 0, false
	}
	var loops []bool
	for _, in := range f.Code {
		cost += Cost(in.Op)
		switch in.Op {
		case wasm.OpMemoryCopy:
			in = wasm.I(wasm.OpCall, r.copy)
		case wasm.OpMemoryFill:
			in = wasm.I(wasm.OpCall, r.fill)
		}
		run = append(run, in)
		switch in.Op {
		case wasm.OpBlock:
			loops = append(loops, false)
		case wasm.OpLoop:
			loops = append(loops, true)
			flush()
			check = true
		case wasm.OpIf:
			loops = append(loops, false)
			flush()
		case wasm.OpEnd:
			if len(loops) == 0 || !loops[len(loops)-1] {
				flush()
			}
			if len(loops) > 0 {
				loops = loops[:len(loops)-1]
			}
		case wasm.OpElse, wasm.OpBr, wasm.OpBrIf, wasm.OpBrTable, wasm.OpReturn, wasm.OpUnreachable:
			flush()
		}
	}
	f.Code = out
}
