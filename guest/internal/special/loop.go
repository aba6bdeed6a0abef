package special

import (
	"cmp"
	"maps"
	"slices"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// mostBelow is how many slots of those that are in use at a loop's head the loop may take
// off the stack. The head of for-of and for-in finds the next value there.
const mostBelow = 1

// compileLoop compiles one of a function's loops.
func (u *unit) compileLoop(f Function, l loop, all []loop) (fn wasm.Func, ok bool) {
	for below := range mostBelow + 1 {
		g := &generator{unit: u, function: f, below: below, param: map[int]uint64{}, arrived: map[uint32]int{}}
		if fn, ok = g.compile(l, all); !g.fell {
			break
		}
	}
	return fn, ok
}

func (g *generator) compile(l loop, all []loop) (fn wasm.Func, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, isFailure := r.(failure); !isFailure {
				panic(r)
			}
			ok = false
		}
	}()
	g.step.limit = noLimit
	for i, h := range g.shared {
		g.param[h] = uint64(i)
	}
	g.sp, g.fuel, g.statements = g.newLocal(wasm.I32), g.newLocal(wasm.I64), g.newLocal(wasm.I64)
	g.loadCounters()
	g.add(g.fuel, -g.entry.fuel)
	g.add(g.statements, -g.entry.statements)
	g.enterBy(l)
	g.body(l, all)
	g.op(wasm.OpUnreachable)
	g.op(wasm.OpEnd)
	fn.Code = g.out
	for _, typ := range g.locals {
		if n := len(fn.Locals); n > 0 && fn.Locals[n-1].Type == typ {
			fn.Locals[n-1].Count++
		} else {
			fn.Locals = append(fn.Locals, wasm.LocalRun{Count: 1, Type: typ})
		}
	}
	return fn, true
}

// enterBy does the operation through which the loop is entered, one of those that jump
// back to its head.
func (g *generator) enterBy(l loop) {
	g.openLabel(wasm.OpBlock, l.head)
	for _, at := range l.back {
		g.open(wasm.OpBlock)
		g.op(wasm.OpLocalGet, g.param[LocalPC])
		g.op(wasm.OpI32Const, uint64(at+1))
		g.op(wasm.OpI32Ne)
		g.op(wasm.OpBrIf, 0)
		takes := g.below + g.snapshot.takes(at)
		g.op(wasm.OpLocalGet, g.param[LocalSP])
		g.op(wasm.OpI32Const, uint64(slotSize*takes))
		g.op(wasm.OpI32Sub)
		g.op(wasm.OpLocalSet, g.sp)
		p := g.at(at, slices.Repeat([]value{inMemory}, takes), takes, cost{})
		g.step = step{address: at, entry: true, limit: noLimit}
		g.operation(p, at, g.snapshot.size(at), false) // the dispatch has looked
		g.endStretch()
		g.step.entry = false
		g.end()
	}
	g.op(wasm.OpUnreachable)
	g.endLabel()
}

func (g *generator) openLabel(op wasm.Op, address uint32) {
	g.labels = append(g.labels, label{address, g.depth})
	g.open(op)
}

func (g *generator) endLabel() {
	g.end()
	g.labels = g.labels[:len(g.labels)-1]
}

// body puts the loop's operations out in their order, jumps ahead as blocks that end at
// their target and jumps back as loops. A jump into the middle of a loop has no label: it
// goes on in the interpreter.
func (g *generator) body(l loop, all []loop) {
	heads := map[uint32]loop{}
	for _, o := range all {
		if o.head == l.head || l.contains(o.head) && o.end <= l.end {
			heads[o.head] = o
		}
	}
	blocks := g.blocks(l, heads)
	ahead := map[uint32]bool{}
	for _, targets := range blocks {
		for _, to := range targets {
			ahead[to] = true
		}
	}
	var ends []uint32 // of the loops that are open
	state := g.at(l.head, g.settled(g.below), g.below, cost{})
	for at := l.head; ; {
		for len(ends) > 0 && ends[len(ends)-1] == at {
			if state != nil { // out of the loop by falling
				depth := state.depth()
				g.settle(state, depth, cost{})
				state = g.at(at, g.settled(depth), depth, cost{})
			} else {
				g.op(wasm.OpUnreachable)
			}
			g.endLabel()
			ends = ends[:len(ends)-1]
		}
		if at == l.end {
			break
		}
		head, isHead := heads[at]
		if ahead[at] {
			g.endLabel()
			if depth, ok := g.arrived[at]; ok && state == nil {
				state = g.at(at, g.settled(depth), depth, cost{})
			}
		}
		if isHead {
			g.openLabel(wasm.OpLoop, at)
			ends = append(ends, head.end)
			for _, to := range blocks[at] {
				g.openLabel(wasm.OpBlock, to)
			}
		}
		if isHead || ahead[at] {
			g.endStretch()
			if state != nil {
				g.look(state, at)
			}
		}
		next := at + g.snapshot.size(at)
		if state != nil {
			_, isHead := heads[next]
			state = g.operation(state, at, next-at, isHead || ahead[next])
		}
		at = next
	}
	if state != nil {
		g.leave(state, l.end)
	}
	g.endStretch()
}

// blocks are, by the head of the loop they lie in, the targets of jumps ahead, the last
// first.
func (g *generator) blocks(l loop, heads map[uint32]loop) map[uint32][]uint32 {
	blocks := map[uint32][]uint32{}
	innermost := slices.SortedFunc(maps.Values(heads), func(a, b loop) int { return cmp.Compare(b.head, a.head) })
	for at := l.head; at < l.end; at += g.snapshot.size(at) {
		to, ok := g.snapshot.jump(at)
		if !ok || to <= at || to >= l.end {
			continue
		}
		k := slices.IndexFunc(innermost, func(o loop) bool { return o.contains(to) })
		if head := innermost[k].head; !slices.Contains(blocks[head], to) {
			blocks[head] = append(blocks[head], to)
		}
	}
	for _, targets := range blocks {
		slices.SortFunc(targets, func(a, b uint32) int { return cmp.Compare(b, a) })
	}
	return blocks
}
