package meter

import "github.com/glovebox-run/glovebox/guest/internal/wasm"

// rewriter meters functions, one at a time.
type rewriter struct {
	m       *wasm.Module
	added   *added
	checked []bool // by function index: checks on entry

	f           *wasm.Func
	flow        flow
	charges     []int64 // by instruction: what to charge before it
	loopChecked []bool  // by instruction: a loop that checks
	loopBlocks  []loopBlock
	blocks      []outBlock
	out         []wasm.Instr
	labels      int    // labels open in out
	scratch     uint64 // an i64 local, once hasScratch
	hasScratch  bool
}

// outBlock is a block of the original function in the output.
type outBlock struct {
	label int  // which of the open labels its branches go to
	apart bool // a loop whose slow path is apart
}

// function inserts charges and checks into f. checked says whether entering it is
// a check.
func (r *rewriter) function(f *wasm.Func, checked bool) {
	r.f, r.hasScratch = f, false
	r.flow.analyse(f)
	r.charges = append(r.charges[:0], make([]int64, len(f.Code)+1)...)
	r.flow.place(r.charges)
	r.loops(f.Code)
	r.out, r.labels = r.out[:0], 0
	r.blocks = append(r.blocks[:0], outBlock{})
	if checked {
		r.chargeAndCheck(0)
		r.labels = 2
		r.blocks[0].apart = true
	}
	for i, in := range f.Code {
		r.charge(r.charges[i])
		if r.added.surcharge != nil {
			r.surcharge(r.added.surcharge(f.Code[i:]))
		}
		r.instr(i, in)
	}
	f.Code = append([]wasm.Instr(nil), r.out...)
}

func (r *rewriter) emit(ins ...wasm.Instr) { r.out = append(r.out, ins...) }

func (r *rewriter) instr(i int, in wasm.Instr) {
	switch in.Op {
	case wasm.OpBlock, wasm.OpIf:
		r.emit(in)
		r.labels++
		r.blocks = append(r.blocks, outBlock{label: r.labels})
	case wasm.OpLoop:
		r.loop(i, in)
	case wasm.OpEnd:
		r.end(in)
	case wasm.OpBr, wasm.OpBrIf:
		in.Imm = uint64(r.relabel(uint32(in.Imm)))
		r.emit(in)
	case wasm.OpBrTable:
		targets := r.f.Targets(in)
		for k, label := range targets {
			targets[k] = r.relabel(label)
		}
		r.emit(in)
	case wasm.OpMemoryCopy:
		r.emit(wasm.I(wasm.OpCall, r.added.copy))
	case wasm.OpMemoryFill:
		r.emit(wasm.I(wasm.OpCall, r.added.fill))
	default:
		r.emit(in)
	}
}

func (r *rewriter) relabel(label uint32) uint32 {
	return uint32(r.labels - r.blocks[len(r.blocks)-1-int(label)].label)
}

// loop opens a loop. One that checks is rebuilt so that the slow path lies behind
// the loop's body instead of inside it: a call in the middle, however rare, makes
// wazero reload every live value where the paths meet.
//
//	block                 what leaves the loop branches here
//	  loop                what goes round branches here
//	    charge
//	    loop
//	      block
//	        br_if 0 when there is no fuel
//	        (the body) br 3
//	      end
//	      refuel, br 0: check again
//	    end
//	  end
//	end
//
// The check reads a local. wazero caches the value of a global for all code that
// is reached from one place only; for the fuel at the head of the interpreter's
// loop it would store a second copy at each operation, for the handlers to load.
// The inner loop is reached from two places.
func (r *rewriter) loop(i int, in wasm.Instr) {
	if !r.loopChecked[i] {
		r.emit(in)
		r.labels++
		r.blocks = append(r.blocks, outBlock{label: r.labels})
		return
	}
	if in.Imm != wasm.EmptyBlock { // compilers of C emit no other
		r.emit(in)
		r.labels++
		r.blocks = append(r.blocks, outBlock{label: r.labels})
		r.charge(r.charges[i+1])
		r.charges[i+1] = 0
		r.emit(r.added.inlineCheck()...)
		return
	}
	r.emit(wasm.I(wasm.OpBlock, wasm.EmptyBlock), in)
	r.blocks = append(r.blocks, outBlock{label: r.labels + 2, apart: true})
	r.labels += 4
	r.chargeAndCheck(i + 1)
}

func (r *rewriter) end(in wasm.Instr) {
	b := r.blocks[len(r.blocks)-1]
	r.blocks = r.blocks[:len(r.blocks)-1]
	switch {
	case !b.apart:
		r.emit(in)
		r.labels--
		return
	case len(r.blocks) == 0:
		r.emit(wasm.I(wasm.OpReturn))
	default:
		r.emit(wasm.I(wasm.OpBr, 3))
	}
	r.emit(in, wasm.I(wasm.OpCall, r.added.refuel), wasm.I(wasm.OpLocalSet, r.scratch), wasm.I(wasm.OpBr, 0), in)
	if len(r.blocks) == 0 {
		r.emit(wasm.I(wasm.OpUnreachable), in)
		r.labels -= 2
		return
	}
	r.emit(in, in)
	r.labels -= 4
}

// surcharge charges where the work is: in the charges of segments it would make the
// counter be off by as much in the middle of a function.
func (r *rewriter) surcharge(units int64) {
	if units == 0 {
		return
	}
	for _, global := range []uint64{r.added.fuel, r.added.bulk} {
		r.emit(wasm.I(wasm.OpGlobalGet, global))
		r.addUnits(units)
		r.emit(wasm.I(wasm.OpGlobalSet, global))
	}
}

func (r *rewriter) charge(units int64) {
	if units != 0 {
		r.emit(wasm.I(wasm.OpGlobalGet, r.added.fuel))
		r.addUnits(units)
		r.emit(wasm.I(wasm.OpGlobalSet, r.added.fuel))
	}
}

// addUnits adds to the number on the stack. A negative amount is subtracted:
// wazero needs a register for a negative constant.
func (r *rewriter) addUnits(units int64) {
	if units < 0 {
		r.emit(wasm.I(wasm.OpI64Const, uint64(-units)), wasm.I(wasm.OpI64Sub))
	} else {
		r.emit(wasm.I(wasm.OpI64Const, uint64(units)), wasm.I(wasm.OpI64Add))
	}
}

// chargeAndCheck emits the charge before instruction i and opens the loop and the
// block that is left when there is no fuel.
func (r *rewriter) chargeAndCheck(i int) {
	units := r.charges[i]
	r.charges[i] = 0
	if !r.hasScratch {
		r.scratch, r.hasScratch = r.m.AddLocal(r.f, wasm.I64), true
	}
	r.emit(wasm.I(wasm.OpGlobalGet, r.added.fuel))
	if units != 0 {
		r.addUnits(units)
		r.emit(wasm.I(wasm.OpLocalTee, r.scratch), wasm.I(wasm.OpGlobalSet, r.added.fuel))
	} else {
		r.emit(wasm.I(wasm.OpLocalSet, r.scratch))
	}
	r.emit(wasm.I(wasm.OpLoop, wasm.EmptyBlock), wasm.I(wasm.OpBlock, wasm.EmptyBlock),
		wasm.I(wasm.OpLocalGet, r.scratch), wasm.I(wasm.OpI64Const, 0), wasm.I(wasm.OpI64GtS), wasm.I(wasm.OpBrIf, 0))
}
