package meter

import "github.com/glovebox-run/glovebox/guest/internal/wasm"

// segment is a straight run of instructions between two junctions. Code inserted
// at its start runs exactly when the segment does.
type segment struct {
	start    int // index of its first instruction
	from, to int32
	cost     int64
	weight   float64 // how often it is guessed to run
}

// outside is the junction before the first and after the last instruction of a
// function: work between two calls costs nothing here.
const outside = 0

// loopWeight is the assumed number of iterations of a loop.
const loopWeight = 8

// flow is the control flow of one function. Junctions are where paths split or
// meet, numbered from outside.
type flow struct {
	segments []segment
	pot      potentials

	blocks  []flowBlock
	live    bool
	open    segment // the segment being read
	depth   int     // loops around
	shallow int     // the least depth since open began
	rate    float64 // share of the function's runs that come here
}

type flowBlock struct {
	op      wasm.Op
	dead    bool    // not reachable: nothing in it is analysed
	label   int32   // the junction its branches go to, 0 when none yet
	split   int32   // of an if: the junction before its arms
	rate    float64 // what has arrived at label
	arm     float64 // of an if: what goes to its else
	hasElse bool
}

// analyse finds the segments of a function. A branch that is not a segment of
// its own (the taken br_if, the entries of br_table, the missing else) has no
// place for a charge: its two junctions are tied together.
func (w *flow) analyse(f *wasm.Func) {
	w.segments, w.blocks = w.segments[:0], w.blocks[:0]
	w.pot.reset()
	w.depth, w.rate = 0, 1
	w.begin(outside, 0)
	w.open.cost = entryCost
	w.blocks = append(w.blocks, flowBlock{op: wasm.OpBlock})
	for i, in := range f.Code {
		if !w.live {
			w.skip(i, in)
			continue
		}
		w.open.cost += Cost(in.Op)
		switch in.Op {
		case wasm.OpBlock:
			w.blocks = append(w.blocks, flowBlock{op: in.Op})
		case wasm.OpLoop:
			header := w.pot.add()
			w.close(header)
			w.depth++
			w.begin(header, i+1)
			w.blocks = append(w.blocks, flowBlock{op: in.Op, label: header})
		case wasm.OpIf:
			split := w.pot.add()
			w.close(split)
			w.rate /= 2
			w.blocks = append(w.blocks, flowBlock{op: in.Op, split: split, label: w.pot.add(), arm: w.rate})
			w.begin(split, i+1)
		case wasm.OpElse:
			b := &w.blocks[len(w.blocks)-1]
			b.rate += w.rate
			w.close(b.label)
			w.otherArm(b, i)
		case wasm.OpEnd:
			w.end(i)
		case wasm.OpBr:
			w.close(w.target(uint32(in.Imm), w.rate))
		case wasm.OpBrIf:
			split := w.pot.add()
			w.close(split)
			w.rate /= 2
			w.pot.tie(split, w.target(uint32(in.Imm), w.rate))
			w.begin(split, i+1)
		case wasm.OpBrTable:
			split := w.pot.add()
			w.close(split)
			targets := f.Targets(in)
			for _, label := range targets {
				w.pot.tie(split, w.target(label, w.rate/float64(len(targets))))
			}
		case wasm.OpReturn:
			w.close(outside)
		case wasm.OpUnreachable:
			w.close(w.pot.add()) // a trap: nobody reads the counter after it as a sum
		}
	}
}

func (w *flow) begin(from int32, start int) {
	w.live = true
	w.shallow = w.depth
	w.open = segment{start: start, from: from}
}

func (w *flow) close(to int32) {
	w.live = false
	w.open.to = to
	w.open.weight = w.rate
	for range min(w.shallow, w.depth) {
		w.open.weight *= loopWeight
	}
	w.segments = append(w.segments, w.open)
}

// target is the junction a branch goes to.
func (w *flow) target(label uint32, rate float64) int32 {
	at := len(w.blocks) - 1 - int(label)
	if at == 0 {
		return outside
	}
	b := &w.blocks[at]
	if b.label == 0 {
		b.label = w.pot.add()
	}
	if b.op != wasm.OpLoop {
		b.rate += rate
	}
	return b.label
}

func (w *flow) otherArm(b *flowBlock, i int) {
	b.hasElse = true
	w.rate = b.arm
	w.begin(b.split, i+1)
}

// end closes a block. live says whether its last instruction falls through.
func (w *flow) end(i int) {
	b := w.blocks[len(w.blocks)-1]
	w.blocks = w.blocks[:len(w.blocks)-1]
	switch {
	case len(w.blocks) == 0:
		if w.live {
			w.close(outside)
		}
	case b.op == wasm.OpLoop:
		w.depth-- // branches go to its start, so paths do not meet here
		w.shallow = min(w.shallow, w.depth)
	case b.label != 0:
		if w.live {
			b.rate += w.rate
			w.close(b.label)
		}
		if b.op == wasm.OpIf && !b.hasElse {
			w.pot.tie(b.split, b.label)
			b.rate += b.arm
		}
		w.rate = b.rate
		w.begin(b.label, i+1)
	}
}

// skip follows the nesting of unreachable code up to where paths join again.
func (w *flow) skip(i int, in wasm.Instr) {
	switch in.Op {
	case wasm.OpBlock, wasm.OpLoop, wasm.OpIf:
		w.blocks = append(w.blocks, flowBlock{op: in.Op, dead: true})
	case wasm.OpElse:
		if b := &w.blocks[len(w.blocks)-1]; !b.dead {
			w.otherArm(b, i)
		}
	case wasm.OpEnd:
		if w.blocks[len(w.blocks)-1].dead {
			w.blocks = w.blocks[:len(w.blocks)-1]
			return
		}
		w.end(i)
	}
}
