package special

import (
	"slices"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// step is the operation that is being compiled.
type step struct {
	address, size uint32
	entry         bool // the operation through which compiled code is entered
	labelled      bool // something jumps to what follows

	start  cost  // pending at its begin
	base   int   // output depth inside the block that ends behind it
	joined bool  // a path has left for that end
	depth  int   // slots in use there
	rest   cost  // pending there: what is on the first path, so that few paths add anything
	last   *path // goes on there by falling, unsettled
	most   cost
	limit  int // instructions of the output
}

// longestOperation is how many instructions of the output one operation may take.
const longestOperation = 3000

// at is the state at the begin of an operation.
func (g *generator) at(address uint32, slots []value, depth int, pending cost) *path {
	p := &path{locals: make([]value, len(g.types)), slots: slots, pending: pending}
	for h, l := range g.param {
		p.locals[h] = value{kind: shared, typ: g.types[h], bits: l}
	}
	p.locals[LocalOp], p.locals[LocalPC] = const32(address), const32(address+1)
	p.locals[LocalSP] = value{kind: stack, typ: wasm.I32, bits: uint64(slotSize * depth)}
	p.locals[localCode] = const32(g.function.At)
	return p
}

// operation compiles one, and returns the state behind it, nil if nothing gets there.
// labelled says that something jumps there. An operation that cannot be followed is left
// to the interpreter.
func (g *generator) operation(p *path, address, size uint32, labelled bool) (after *path) {
	out, locals, margins, slots, depth := len(g.out), len(g.locals), len(g.margins), len(g.slotLocals), g.depth
	before := p.clone()
	g.operations++
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if _, ok := r.(failure); !ok || g.step.entry {
			panic(r)
		}
		g.out, g.locals, g.margins, g.slotLocals, g.depth = g.out[:out], g.locals[:locals], g.margins[:margins], g.slotLocals[:slots], depth
		g.step.limit = noLimit
		g.leave(before, address)
		after = nil
	}()
	g.step = step{address: address, size: size, entry: g.step.entry, labelled: labelled, start: p.pending, base: g.depth + 1, limit: out + longestOperation}
	g.open(wasm.OpBlock)
	g.follow(g.head+1, p)
	g.step.limit = noLimit
	s := &g.step
	if s.last == nil {
		g.op(wasm.OpUnreachable)
	} else if s.joined || labelled {
		g.settle(s.last, s.last.depth(), s.rest)
	}
	g.end()
	g.most = g.most.plus(s.most)
	switch {
	case s.last != nil:
		depth := s.last.depth()
		return g.at(address+size, s.last.slots[:min(len(s.last.slots), depth)], depth, s.last.pending)
	case s.joined:
		return g.at(address+size, g.settled(s.depth), s.depth, s.rest)
	}
	g.op(wasm.OpUnreachable)
	return nil
}

const noLimit = 1 << 30

// arrive ends a path at the begin of the next operation.
func (g *generator) arrive(p *path) {
	s := &g.step
	next, pc, sp := p.locals[LocalOp], p.locals[LocalPC], p.locals[LocalSP]
	if sp.kind == stack && int64(sp.bits) < 0 {
		g.fell = true
	}
	if next.kind != constant || pc != const32(uint32(next.bits)+1) || sp.kind != stack || int64(sp.bits) < 0 {
		fail("it is not known where the path goes on")
	}
	g.requireShared(p, g.head)
	c := p.total().minus(s.start)
	s.most = cost{max(s.most.fuel, c.fuel), max(s.most.statements, c.statements)}
	address, depth := uint32(next.bits), p.depth()
	if address == s.address+s.size && !s.entry {
		if p.unknown {
			g.look(p, address)
		}
		if g.depth == s.base {
			s.last = p
			return
		}
		if !s.joined && !s.labelled {
			s.rest = p.pending
		}
		g.settle(p, depth, s.rest)
		s.joined, s.depth = true, depth
		g.op(wasm.OpBr, uint64(g.depth-s.base))
		return
	}
	for _, l := range slices.Backward(g.labels) {
		if l.address == address {
			g.settle(p, depth, cost{})
			g.arrived[address] = depth
			g.op(wasm.OpBr, uint64(g.depth-l.depth-1))
			return
		}
	}
	g.leave(p, address)
}

// requireShared fails when the path has changed a local that the code at an instruction
// expects and the interpreter would not get back.
func (g *generator) requireShared(p *path, at int) {
	for h, l := range g.param {
		v := p.locals[h]
		switch {
		case h == LocalOp || h == LocalPC || h == LocalSP || !g.live[at].has(uint64(h)):
		case h == localCode && v == const32(g.function.At):
		case v.kind != shared || v.bits != l:
			fail("local %d changes", h)
		}
	}
}

// ThrownBit marks an address at which an exception was thrown. Guests have less memory.
const ThrownBit = 1 << 31

// throw ends a path at the interpreter's handling of exceptions.
func (g *generator) throw(p *path) {
	address, sp := p.locals[LocalOp], p.locals[LocalSP]
	if sp.kind != stack || int64(sp.bits) < 0 || address.kind != constant {
		fail("it is not known where the exception is thrown")
	}
	g.requireShared(p, g.thrown)
	g.returnTo(p, p.pending.minus(g.Interpreter.throw), uint32(address.bits)|ThrownBit)
}

// leave goes on in the interpreter, at the begin of an operation.
func (g *generator) leave(p *path, address uint32) {
	g.returnTo(p, p.pending.minus(g.Interpreter.leave), address)
}

// returnTo returns the stack pointer and an address to the interpreter.
func (g *generator) returnTo(p *path, lacking cost, address uint32) {
	p = p.clone()
	for k := range min(p.depth(), len(p.slots)) {
		g.spill(p, k)
	}
	g.storeCounters(lacking)
	g.address(int64(p.locals[LocalSP].bits))
	g.op(wasm.OpI64ExtendU)
	g.op(wasm.OpI64Const, 32)
	g.op(wasm.OpI64Shl)
	g.op(wasm.OpI64Const, uint64(address))
	g.op(wasm.OpI64Or)
	g.op(wasm.OpReturn)
}

// look leaves for the interpreter when the stretch that begins, or goes on, at an
// operation might use up the fuel or the statements.
func (g *generator) look(p *path, address uint32) {
	g.reaches(g.fuel, p.pending.fuel, false)
	g.reaches(g.statements, p.pending.statements, true)
	g.op(wasm.OpI32Or)
	g.open(wasm.OpIf)
	g.leave(p, address)
	g.end()
}

func (g *generator) reaches(counter uint64, pending int64, statements bool) {
	g.op(wasm.OpLocalGet, counter)
	g.margins = append(g.margins, margin{len(g.out), statements})
	g.op(wasm.OpI64Const, uint64(pending))
	g.op(wasm.OpI64Add)
	g.op(wasm.OpI64Const, 0)
	g.op(wasm.OpI64GtS)
}

// slack is more than a path charges before it takes some of it back: the interpreter's
// counter is exact at each dispatch only.
const slack = 1000

// endStretch ends the running stretch: the checks in it get to know what it can charge.
func (g *generator) endStretch() {
	for _, m := range g.margins {
		if m.statements {
			g.out[m.at].Imm += uint64(g.most.statements)
		} else {
			g.out[m.at].Imm += uint64(g.most.fuel + slack)
		}
	}
	g.margins, g.most = g.margins[:0], cost{}
}
