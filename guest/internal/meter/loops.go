package meter

import "github.com/glovebox-run/glovebox/guest/internal/wasm"

// loops decides which loops check their fuel; the result is by the index of the
// loop instruction. A loop needs no check when each way round passes one anyway:
// the header of an inner loop that checks, or the entry of a function that does.
// Inner loops are decided first.
func (r *rewriter) loops(code []wasm.Instr) {
	r.loopChecked = append(r.loopChecked[:0], make([]bool, len(code))...)
	var open []int
	for i, in := range code {
		switch in.Op {
		case wasm.OpBlock, wasm.OpLoop, wasm.OpIf:
			open = append(open, i)
		case wasm.OpEnd:
			if len(open) == 0 {
				return
			}
			start := open[len(open)-1]
			open = open[:len(open)-1]
			if code[start].Op == wasm.OpLoop {
				r.loopChecked[start] = r.roundWithoutCheck(code, start)
			}
		}
	}
}

type loopBlock struct {
	op      wasm.Op
	arrives bool // a path without check branches to its end
	arm     bool // of an if: a path without check reaches its else
	hasElse bool
}

// roundWithoutCheck reports whether a path leads from a loop's header back to it
// without passing a check.
func (r *rewriter) roundWithoutCheck(code []wasm.Instr, start int) bool {
	blocks := r.loopBlocks[:0]
	defer func() { r.loopBlocks = blocks }()
	back := false
	free := true // a path without check leads here
	branch := func(label uint64) {
		at := len(blocks) - 1 - int(label)
		if at >= 0 {
			blocks[at].arrives = blocks[at].arrives || free
		} else if at == -1 {
			back = back || free
		}
	}
	for i := start + 1; ; i++ {
		in := code[i]
		switch in.Op {
		case wasm.OpLoop:
			free = free && !r.loopChecked[i]
			blocks = append(blocks, loopBlock{op: in.Op})
		case wasm.OpBlock, wasm.OpIf:
			blocks = append(blocks, loopBlock{op: in.Op, arm: free})
		case wasm.OpElse:
			b := &blocks[len(blocks)-1]
			b.hasElse = true
			b.arrives = b.arrives || free
			free = b.arm
		case wasm.OpEnd:
			if len(blocks) == 0 {
				return back
			}
			b := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			if b.op != wasm.OpLoop {
				free = free || b.arrives || b.op == wasm.OpIf && !b.hasElse && b.arm
			}
		case wasm.OpBr:
			branch(in.Imm)
			free = false
		case wasm.OpBrIf:
			branch(in.Imm)
		case wasm.OpBrTable:
			for _, label := range r.f.Targets(in) {
				branch(uint64(label))
			}
			free = false
		case wasm.OpReturn, wasm.OpUnreachable:
			free = false
		case wasm.OpCall:
			free = free && !r.checked[in.Imm]
		}
		if back {
			return true
		}
	}
}
