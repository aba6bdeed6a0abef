package guest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// moveHeap gives the stack StackAdded more bytes by moving the heap up. The heap's
// start and end are constants in the allocator and in the thread set-up; there are
// no relocations left, so exactly the known constants are changed. Not every
// 196608 is one: the Unicode tables hold another.
func (l *linker) moveHeap() error {
	g := l.m.Globals
	if len(g) == 0 || !g[0].Type.Mutable || g[0].Init[0] != wasm.I(wasm.OpI32Const, builtStackHigh) {
		return errors.New("global 0 is not the stack pointer of this build")
	}
	g[0].Init[0].Imm = StackHigh
	if len(l.m.Memories) != 1 || l.m.Memories[0].Min != builtHeapEnd/pageSize {
		return errors.New("the memory is not the one of this build")
	}
	l.m.Memories[0].Min += StackAdded / pageSize
	for _, d := range l.m.Datas {
		if end := d.Offset[0].Imm + uint64(len(d.Init)); d.Offset[0].Op != wasm.OpI32Const || end > StackLow {
			return fmt.Errorf("static data up to %d reaches into the stack", end)
		}
	}
	for _, p := range []struct {
		fn    string
		value uint64
		count int
	}{
		{"dlmalloc", builtStackHigh, 8},
		{"dlmalloc", builtHeapEnd, 5},
		{"__wasi_init_tp", builtStackHigh, 5},
	} {
		f, err := l.fn(p.fn)
		if err != nil {
			return err
		}
		found := 0
		for i := range f.Code {
			if in := &f.Code[i]; in.Op == wasm.OpI32Const && in.Imm == p.value {
				in.Imm += StackAdded
				found++
			}
		}
		if found != p.count {
			return fmt.Errorf("%s holds %d %d times, want %d", p.fn, p.value, found, p.count)
		}
	}
	return nil
}

// checkOffsets compares the structure offsets with the code that uses them.
func (l *linker) checkOffsets() error {
	for _, c := range []struct {
		fn     string
		op     wasm.Op
		at     int // which instruction, or -1 for the only one with this operator
		offset uint64
	}{
		{"JS_SetMaxStackSize", wasm.OpI32Store, 2, StackLimitOffset},
		{"js_perf_now", wasm.OpF64Load, -1, TimeOriginOffset},
		{"js_math_random", wasm.OpI64Load, -1, RandomStateOffset},
	} {
		f, err := l.fn(c.fn)
		if err != nil {
			return err
		}
		at := c.at
		for i, in := range f.Code {
			if c.at >= 0 || in.Op != c.op {
				continue
			}
			if at >= 0 {
				return fmt.Errorf("%s has several %v", c.fn, c.op)
			}
			at = i
		}
		if at < 0 || at >= len(f.Code) || f.Code[at].Op != c.op || f.Code[at].Imm != c.offset {
			return fmt.Errorf("%s does not access offset %d where it should", c.fn, c.offset)
		}
	}
	return nil
}

// dispatchTargets is larger than any br_table of JS_CallInternal except the one
// that chooses the next bytecode operation (about 225 targets; the next largest
// has 18).
const dispatchTargets = 200

// countStatements counts every bytecode operation the interpreter dispatches. The
// counting code is part of the program: fuel counts its instructions like any
// others.
//
// It puts a call of an empty function before the loop around the dispatch.
// Wherever a loop is entered again, wazero restores the registers to what they
// held at the first entry, so each of the handlers ended with seven loads, most of
// them of values that the next one does not use. After a call the registers hold
// next to nothing.
func (l *linker) countStatements() error {
	f, err := l.fn("JS_CallInternal")
	if err != nil {
		return err
	}
	at := -1
	for i, in := range f.Code {
		if in.Op != wasm.OpBrTable || in.Imm2 < dispatchTargets {
			continue
		}
		if at >= 0 {
			return errors.New("JS_CallInternal dispatches in two places")
		}
		at = i
	}
	if at < 0 {
		return errors.New("JS_CallInternal dispatches nowhere")
	}
	if at, err = jumpByOpcode(l.m, f, at); err != nil {
		return err
	}
	counter := uint64(len(l.m.Globals))
	l.m.Globals = append(l.m.Globals, wasm.Counter())
	l.m.Exports = append(l.m.Exports, wasm.Export{Name: GlobalStatements, Kind: wasm.KindGlobal, Index: uint32(counter)})
	next := l.m.AddLocal(f, wasm.I64)
	count := []wasm.Instr{
		wasm.I(wasm.OpGlobalGet, counter), wasm.I(wasm.OpI64Const, 1), wasm.I(wasm.OpI64Add), wasm.I(wasm.OpLocalTee, next),
		wasm.I(wasm.OpGlobalSet, counter),
		wasm.I(wasm.OpLocalGet, next), wasm.I(wasm.OpI64Const, 0), wasm.I(wasm.OpI64GtS),
		wasm.I(wasm.OpIf, wasm.EmptyBlock), wasm.I(wasm.OpUnreachable), wasm.I(wasm.OpEnd),
	}
	loop, err := enclosingLoop(f.Code, at)
	if err != nil {
		return err
	}
	code := make([]wasm.Instr, 0, len(f.Code)+len(count)+1)
	code = append(code, f.Code[:loop]...)
	code = append(code, wasm.I(wasm.OpCall, uint64(l.m.ImportedFuncs()+len(l.m.Funcs))))
	code = append(code, f.Code[loop:at]...)
	code = append(code, count...)
	f.Code = append(code, f.Code[at:]...)
	l.m.Funcs = append(l.m.Funcs, wasm.Func{Type: l.m.TypeIndex(wasm.FuncType{}), Code: []wasm.Instr{wasm.I(wasm.OpEnd)}})
	return nil
}

// enclosingLoop is the index of the innermost loop around the instruction at.
func enclosingLoop(code []wasm.Instr, at int) (int, error) {
	for _, i := range slices.Backward(openBlocks(code, at)) {
		if code[i].Op == wasm.OpLoop {
			return i, nil
		}
	}
	return 0, errors.New("the dispatch of JS_CallInternal is not in a loop")
}
