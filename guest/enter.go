package guest

import (
	"errors"
	"slices"

	"github.com/glovebox-run/glovebox/guest/internal/special"
	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// enterCompiled gives the interpreter an operation that calls compiled code. It stands in
// the handler of operations that do not exist, where no other operation passes:
//
//	block
//	  br_if 0             when it is another
//	  (all locals that the dispatch expects) call_indirect
//	  (upper half) set the stack pointer
//	  (lower half) set the operation's address
//	  br_if               to the handling of exceptions, when the highest bit is set
//	  br                  to the dispatch
//	end
//
// It also exports what compiled code shares with the guest.
func (l *linker) enterCompiled() error {
	f, err := l.fn("JS_CallInternal")
	if err != nil {
		return err
	}
	m := l.m
	jump := slices.IndexFunc(f.Code, func(in wasm.Instr) bool { return in.Op == wasm.OpBrTable && in.Imm2 == opcodes+1 })
	if jump < 0 {
		return errors.New("operations are not dispatched by their number")
	}
	loop, err := enclosingLoop(f.Code, jump)
	if err != nil {
		return err
	}
	blocks := openBlocks(f.Code, jump)
	handler := func(op int) int { // the block at whose end it stands
		return blocks[len(blocks)-1-int(f.Targets(f.Code[jump])[op])]
	}
	at := endOf(f.Code, handler(special.OpEnter)) + 1
	thrown, err := l.exceptions(f.Code, endOf(f.Code, handler(special.Back[0])))
	if err != nil {
		return err
	}
	blocks = openBlocks(f.Code, at)
	label := func(block int) uint64 { // from inside the new block
		return uint64(len(blocks) - slices.Index(blocks, block))
	}
	if !slices.Contains(blocks, thrown) || !slices.Contains(blocks, loop) {
		return errors.New("the dispatch is not reached from everywhere")
	}
	m.Exports = append(m.Exports, wasm.Export{Name: special.Table, Kind: wasm.KindTable})
	for _, in := range f.Code[jump:] {
		if in.Op == wasm.OpCall {
			l.exportCallee(uint32(in.Imm))
		}
	}

	shared, types := special.Live(m, f, loop)
	result, address := m.AddLocal(f, wasm.I64), m.AddLocal(f, wasm.I32)
	typ := wasm.FuncType{Results: []wasm.ValType{wasm.I64}}
	code := []wasm.Instr{
		wasm.I(wasm.OpBlock, wasm.EmptyBlock),
		wasm.I(wasm.OpLocalGet, localOperation), wasm.I(wasm.OpI32Const, special.OpEnter), wasm.I(wasm.OpI32Ne), wasm.I(wasm.OpBrIf, 0),
	}
	for _, n := range shared {
		typ.Params = append(typ.Params, types[n])
		code = append(code, wasm.I(wasm.OpLocalGet, uint64(n)))
	}
	code = append(code, wasm.I(wasm.OpI32Const, EnterElement), wasm.I(wasm.OpCallIndirect, uint64(m.TypeIndex(typ))), wasm.I(wasm.OpLocalTee, result),
		wasm.I(wasm.OpI64Const, 32), wasm.I(wasm.OpI64ShrU), wasm.I(wasm.OpI32WrapI64), wasm.I(wasm.OpLocalSet, special.LocalSP),
		wasm.I(wasm.OpLocalGet, result), wasm.I(wasm.OpI32WrapI64), wasm.I(wasm.OpLocalTee, address),
		wasm.I(wasm.OpI32Const, special.ThrownBit-1), wasm.I(wasm.OpI32And), wasm.I(wasm.OpLocalSet, special.LocalOp),
		wasm.I(wasm.OpLocalGet, address), wasm.I(wasm.OpI32Const, 0), wasm.I(wasm.OpI32LtS), wasm.I(wasm.OpBrIf, label(thrown)),
		wasm.I(wasm.OpLocalGet, address), wasm.I(wasm.OpI32Const, 1), wasm.I(wasm.OpI32Add), wasm.I(wasm.OpLocalSet, special.LocalPC),
		wasm.I(wasm.OpBr, label(loop)), wasm.I(wasm.OpEnd))
	f.Code = insert(f.Code, at, code...)
	return nil
}

// localOperation is the local of the interpreter with the operation that is dispatched.
const localOperation = 25

// exceptions is the block at whose end exceptions are handled: where the handler of a jump
// goes when the interrupt handler wants an exception.
func (l *linker) exceptions(code []wasm.Instr, from int) (int, error) {
	for i := from; i+1 < len(code); i++ {
		if code[i].Op == wasm.OpCall && l.names[uint32(code[i].Imm)] == "__js_poll_interrupts" && code[i+1].Op == wasm.OpBrIf {
			blocks := openBlocks(code, i+1)
			return blocks[len(blocks)-1-int(code[i+1].Imm)], nil
		}
	}
	return 0, errors.New("no jump looks for interrupts")
}

// exportCallee lets compiled code call a function. Those that share their name with
// another stay out, and so do operations that need them.
func (l *linker) exportCallee(index uint32) {
	name := l.names[index]
	if l.byName[name] != index || slices.ContainsFunc(l.m.Exports, func(e wasm.Export) bool { return e.Name == name }) {
		return
	}
	l.m.Exports = append(l.m.Exports, wasm.Export{Name: name, Kind: wasm.KindFunc, Index: index})
}

// openBlocks are the blocks around an instruction, the innermost last.
func openBlocks(code []wasm.Instr, at int) (open []int) {
	for i, in := range code[:at] {
		switch in.Op {
		case wasm.OpBlock, wasm.OpLoop, wasm.OpIf:
			open = append(open, i)
		case wasm.OpEnd:
			open = open[:len(open)-1]
		}
	}
	return open
}

// endOf is the end of the block that begins at an instruction.
func endOf(code []wasm.Instr, at int) int {
	depth := 0
	for i := at; ; i++ {
		switch code[i].Op {
		case wasm.OpBlock, wasm.OpLoop, wasm.OpIf:
			depth++
		case wasm.OpEnd:
			if depth--; depth == 0 {
				return i
			}
		}
	}
}
