package special

import (
	"errors"
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// Names of what compiled code shares with the guest.
const (
	Module = "guest" // the module that it imports
	Table  = "table"
	Ask    = "ask" // the function that asks for fuel
)

// Names are those of the guest's memory and counters.
type Names struct{ Memory, Fuel, Statements, Bulk string }

// OpEnter is the bytecode operation that enters compiled code.
const OpEnter = 253

// Back are the operations that OpEnter may replace: they jump back to the head of a loop.
var Back = []int{opGoto, opIfFalse, opIfTrue, opGoto8, opGoto16, opIfFalse8, opIfTrue8}

// Locals of the interpreter in this build.
const (
	LocalOp   = 6 // address of the operation
	LocalPC   = 7 // and behind it
	LocalSP   = 9
	localCode = 14 // the function's bytecode
)

// Interpreter is the interpreter's function, read once.
type Interpreter struct {
	code    []wasm.Instr
	next    [][]int        // by instruction: where its branches lead
	types   []wasm.ValType // of locals
	live    []set          // by instruction: the locals it and what follows expect
	shared  []int          // the locals that compiled code gets
	head    int            // the loop around the dispatch; each operation begins behind it
	check   int            // the head's look at the fuel
	checked int            // behind that
	jump    int            // the dispatch
	enter   int            // the call of compiled code
	thrown  int            // where exceptions go

	entry, leave, throw cost // of the ways

	signature  wasm.FuncType   // of compiled code
	signatures []wasm.FuncType // by function
	names      map[uint32]string
	memory     wasm.Limits
	table      wasm.TableType
	globals    Names

	fuel, statements, bulk uint64
}

// cost is what a path adds to the counters.
type cost struct{ fuel, statements int64 }

func (c cost) plus(d cost) cost  { return cost{c.fuel + d.fuel, c.statements + d.statements} }
func (c cost) minus(d cost) cost { return cost{c.fuel - d.fuel, c.statements - d.statements} }

// dispatchTargets is how many targets the dispatch has: one for each byte, and a default.
const dispatchTargets = 257

// Read finds the interpreter in a linked and metered module.
func Read(m *wasm.Module, names Names) (*Interpreter, error) {
	t := &Interpreter{globals: names, names: map[uint32]string{}}
	for _, e := range m.Exports {
		switch {
		case e.Kind == wasm.KindFunc:
			t.names[e.Index] = e.Name
		case e.Kind != wasm.KindGlobal:
		case e.Name == names.Fuel:
			t.fuel = uint64(e.Index)
		case e.Name == names.Statements:
			t.statements = uint64(e.Index)
		case e.Name == names.Bulk:
			t.bulk = uint64(e.Index)
		}
	}
	for i := range m.ImportedFuncs() + len(m.Funcs) {
		typ, _ := m.FuncTypeOf(uint32(i))
		t.signatures = append(t.signatures, typ)
	}
	if len(m.Memories) != 1 || len(m.Tables) != 1 {
		return nil, errors.New("the guest has several memories or tables")
	}
	t.memory, t.table = m.Memories[0], m.Tables[0]
	var found *wasm.Func
	for i := range m.Funcs {
		for k, in := range m.Funcs[i].Code {
			if in.Op != wasm.OpBrTable || in.Imm2 != dispatchTargets {
				continue
			}
			if found != nil {
				return nil, errors.New("operations are dispatched in two places")
			}
			found, t.jump = &m.Funcs[i], k
		}
	}
	if found == nil {
		return nil, errors.New("operations are dispatched nowhere")
	}
	t.code, t.next, t.types = slices.Clone(found.Code), branches(found), localTypes(m, found) // a clone: all code of a module is one slice
	t.live = liveness(t.code, t.next)
	if err := t.places(m); err != nil {
		return nil, err
	}
	return t, t.ways()
}

// places finds the dispatch's loop and the call of compiled code.
func (t *Interpreter) places(m *wasm.Module) error {
	var open, loops []int
	for i, in := range t.code[:t.jump] {
		switch in.Op {
		case wasm.OpBlock, wasm.OpLoop, wasm.OpIf:
			open = append(open, i)
		case wasm.OpEnd:
			open = open[:len(open)-1]
		}
	}
	for _, i := range open {
		if t.code[i].Op == wasm.OpLoop {
			loops = append(loops, i)
		}
	}
	if len(loops) < 2 {
		return errors.New("the dispatch is not in a loop that checks its fuel")
	}
	t.head, t.check = loops[len(loops)-2], loops[len(loops)-1]
	look := []wasm.Op{wasm.OpLoop, wasm.OpBlock, wasm.OpLocalGet, wasm.OpI64Const, wasm.OpI64GtS, wasm.OpBrIf}
	for k, op := range look {
		if t.code[t.check+k].Op != op {
			return errors.New("the dispatch checks its fuel in another way")
		}
	}
	t.checked = t.check + len(look)
	handler := t.next[t.jump][OpEnter]
	for i := handler; i < len(t.code) && t.code[i].Op != wasm.OpEnd; i++ {
		if t.code[i].Op == wasm.OpCallIndirect {
			t.enter = i
			break
		}
	}
	first := t.enter - 1 // the number of the table's entry
	for ; first > handler && t.code[first-1].Op == wasm.OpLocalGet; first-- {
	}
	for i := first; i < t.enter-1; i++ {
		t.shared = append(t.shared, int(t.code[i].Imm))
	}
	call := t.code[t.enter]
	if call.Op != wasm.OpCallIndirect {
		return errors.New("no operation calls compiled code")
	}
	t.signature = m.Types[call.Imm]
	if len(t.signature.Params) != len(t.shared) {
		return fmt.Errorf("compiled code takes %d parameters and gets %d", len(t.signature.Params), len(t.shared))
	}
	return nil
}

// branches finds where each branch leads: behind the end of a block, or to a loop. For a
// loop itself it is its end, for if and else where they go on.
func branches(f *wasm.Func) [][]int {
	ends, elses := make([]int, len(f.Code)), make([]int, len(f.Code))
	var open []int
	for i, in := range f.Code {
		switch in.Op {
		case wasm.OpBlock, wasm.OpLoop, wasm.OpIf:
			open = append(open, i)
		case wasm.OpElse:
			elses[open[len(open)-1]] = i
		case wasm.OpEnd:
			if len(open) > 0 {
				ends[open[len(open)-1]] = i
				open = open[:len(open)-1]
			}
		}
	}
	to := func(label uint32) int {
		k := len(open) - 1 - int(label)
		switch {
		case k < 0:
			return len(f.Code) - 1
		case f.Code[open[k]].Op == wasm.OpLoop:
			return open[k]
		}
		return ends[open[k]] + 1
	}
	next := make([][]int, len(f.Code))
	for i, in := range f.Code {
		switch in.Op {
		case wasm.OpBlock:
			open = append(open, i)
		case wasm.OpLoop:
			open = append(open, i)
			next[i] = []int{ends[i]}
		case wasm.OpIf:
			open = append(open, i)
			next[i] = []int{ends[i] + 1}
			if elses[i] != 0 {
				next[i][0] = elses[i] + 1
			}
		case wasm.OpElse:
			next[i] = []int{ends[open[len(open)-1]] + 1}
		case wasm.OpEnd:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		case wasm.OpBr, wasm.OpBrIf:
			next[i] = []int{to(uint32(in.Imm))}
		case wasm.OpBrTable:
			for _, label := range f.Targets(in) {
				next[i] = append(next[i], to(label))
			}
		}
	}
	return next
}

func localTypes(m *wasm.Module, f *wasm.Func) []wasm.ValType {
	types := append([]wasm.ValType(nil), m.Types[f.Type].Params...)
	for _, run := range f.Locals {
		for range run.Count {
			types = append(types, run.Type)
		}
	}
	return types
}
