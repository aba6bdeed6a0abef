// Package meter makes a module count its own work: fuel, exact to the unit on
// every completed run, in a global.
//
//	meter.go      Apply, the cost table, the functions that are added
//	callgraph.go  which functions check their fuel when entered
//	segments.go   the control flow of a function as segments between junctions
//	place.go      which segments carry a charge, and how much
//	loops.go      which loops check their fuel
//	rewrite.go    the function with charges and checks in it
//
// Charging and checking are separate. On every path from a function's entry to its
// exit, charges add up to the cost of the executed code, but not each segment pays
// for itself (place.go), so the counter may be off by a few hundred units in the
// middle of a function. Checks bound the work between two of them: there is one in
// every cycle of the call graph and one in every cycle of a function.
package meter

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// Names are what the metered module imports and exports.
type Names struct {
	Module, Refuel string // an imported function (i64) -> (i64)
	Fuel, Bulk     string // exported globals
	Ask            string // an exported function () -> (i64): asks for fuel
}

// Cost is the fuel of one operator: wasmtime's table, so that wasmtime's counter
// verifies ours.
func Cost(op wasm.Op) int64 {
	switch op {
	case wasm.OpNop, wasm.OpDrop, wasm.OpBlock, wasm.OpLoop, wasm.OpUnreachable, wasm.OpReturn, wasm.OpElse, wasm.OpEnd:
		return 0
	}
	return 1
}

// entryCost is charged once a call.
const entryCost = 1

// added holds the indices of what Apply adds to a module.
type added struct {
	fuel, bulk uint64 // globals
	refuel     uint64 // function () i64: asks for fuel until it is negative or zero, returns it
	copy, fill uint64 // functions: charge by size, check, then do it
	surcharge  Surcharge
}

// Surcharge is what the first instruction of a piece of a function's code costs beyond
// Cost. Like the size of a bulk operation it is charged to both globals.
type Surcharge func(code []wasm.Instr) int64

// Apply meters m in place. A nil surcharge is none.
func Apply(m *wasm.Module, n Names, surcharge Surcharge) error {
	imported, ok := importedFunc(m, n.Module, n.Refuel)
	if !ok {
		return fmt.Errorf("meter: no import %s.%s", n.Module, n.Refuel)
	}
	globals := uint64(m.ImportedGlobals() + len(m.Globals))
	funcs := uint64(m.ImportedFuncs() + len(m.Funcs))
	a := added{fuel: globals, bulk: globals + 1, refuel: funcs, copy: funcs + 1, fill: funcs + 2, surcharge: surcharge}
	checked := checkedFuncs(m)
	rewriteAll(m, &a, checked)

	m.Globals = append(m.Globals, wasm.Counter(), wasm.Counter())
	m.Exports = append(m.Exports,
		wasm.Export{Name: n.Fuel, Kind: wasm.KindGlobal, Index: uint32(a.fuel)},
		wasm.Export{Name: n.Bulk, Kind: wasm.KindGlobal, Index: uint32(a.bulk)},
		wasm.Export{Name: n.Ask, Kind: wasm.KindFunc, Index: uint32(a.refuel)})
	m.Funcs = append(m.Funcs, a.refuelFunc(m, imported), a.bulkFunc(m, wasm.OpMemoryCopy), a.bulkFunc(m, wasm.OpMemoryFill))
	return nil
}

func importedFunc(m *wasm.Module, module, name string) (uint64, bool) {
	k := uint64(0)
	for _, im := range m.Imports {
		if im.Kind != wasm.KindFunc {
			continue
		}
		if im.Module == module && im.Name == name {
			return k, true
		}
		k++
	}
	return 0, false
}

// rewriteAll meters every function. The functions are independent of each other,
// and metering them is most of the work of making the module.
func rewriteAll(m *wasm.Module, a *added, checked []bool) {
	imports := m.ImportedFuncs()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			r := rewriter{m: m, added: a, checked: checked}
			for {
				i := int(next.Add(1)) - 1
				if i >= len(m.Funcs) {
					return
				}
				r.function(&m.Funcs[i], checked[imports+i])
			}
		})
	}
	wg.Wait()
}

func (a *added) refuelFunc(m *wasm.Module, imported uint64) wasm.Func {
	return wasm.Func{
		Type:   m.TypeIndex(wasm.FuncType{Results: []wasm.ValType{wasm.I64}}),
		Locals: []wasm.LocalRun{{Count: 1, Type: wasm.I64}},
		Code: []wasm.Instr{
			wasm.I(wasm.OpLoop, wasm.EmptyBlock),
			wasm.I(wasm.OpGlobalGet, a.fuel), wasm.I(wasm.OpCall, imported), wasm.I(wasm.OpLocalTee, 0), wasm.I(wasm.OpGlobalSet, a.fuel),
			wasm.I(wasm.OpLocalGet, 0), wasm.I(wasm.OpI64Const, 0), wasm.I(wasm.OpI64GtS), wasm.I(wasm.OpBrIf, 0),
			wasm.I(wasm.OpEnd), wasm.I(wasm.OpLocalGet, 0), wasm.I(wasm.OpEnd),
		},
	}
}

// inlineCheck is the plain form of a check, for code that is not hot.
func (a *added) inlineCheck() []wasm.Instr {
	return []wasm.Instr{
		wasm.I(wasm.OpGlobalGet, a.fuel), wasm.I(wasm.OpI64Const, 0), wasm.I(wasm.OpI64GtS),
		wasm.I(wasm.OpIf, wasm.EmptyBlock), wasm.I(wasm.OpCall, a.refuel), wasm.I(wasm.OpDrop), wasm.I(wasm.OpEnd),
	}
}
