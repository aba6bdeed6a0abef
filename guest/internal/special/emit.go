package special

import (
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// Imported globals of the output.
const (
	globalFuel = iota
	globalStatements
	globalBulk
)

// generator makes one function of the output: a loop.
type generator struct {
	*unit
	function Function

	out    []wasm.Instr
	locals []wasm.ValType
	depth  int // blocks that are open

	param      map[int]uint64 // by shared local of the interpreter: where it is
	below      int            // slots in use at the loop's head that are the loop's
	fell       bool           // that are not enough
	sp         uint64         // local: where the loop's slots begin
	fuel       uint64         // local: the counter
	statements uint64         // local: the counter
	slotLocals []uint64       // where slots are at labels

	labels  []label
	arrived map[uint32]int // by address of a label: how many slots are in use there

	step    step
	margins []margin // of the running stretch
	most    cost     // that the stretch can charge
}

// label is where operations jump to in the output.
type label struct {
	address uint32
	depth   int // of the output around it
}

// margin is a constant of the output to which the stretch's is added when that is known.
type margin struct {
	at         int
	statements bool
}

// failure says why an operation cannot be followed.
type failure string

func fail(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

func (g *generator) emit(instrs ...wasm.Instr) {
	g.out = append(g.out, instrs...)
	if len(g.out) > g.step.limit {
		fail("the operation is too long")
	}
}

func (g *generator) op(op wasm.Op, imm ...uint64) { g.emit(wasm.I(op, imm...)) }

func (g *generator) open(op wasm.Op) {
	g.op(op, wasm.EmptyBlock)
	g.depth++
}

func (g *generator) end() {
	g.op(wasm.OpEnd)
	g.depth--
}

func (g *generator) newLocal(typ wasm.ValType) uint64 {
	g.locals = append(g.locals, typ)
	return uint64(len(g.shared) + len(g.locals) - 1)
}

// set puts what is on top of the output's stack into a new local.
func (g *generator) set(typ wasm.ValType) value {
	l := g.newLocal(typ)
	g.op(wasm.OpLocalSet, l)
	return localOf(typ, l)
}

// ready must be called with a value before anything of an instruction's operands is put:
// a pointer to the stack makes the slots move to memory.
func (g *generator) ready(p *path, values ...value) {
	for _, v := range values {
		if v.kind == stack {
			g.escape(p)
		}
	}
}

// put puts a value on top of the output's stack.
func (g *generator) put(p *path, v value) {
	switch v.kind {
	case constant:
		switch v.typ {
		case wasm.I32:
			g.op(wasm.OpI32Const, v.bits)
		case wasm.I64:
			g.op(wasm.OpI64Const, v.bits)
		default:
			g.op(wasm.OpF64Const, v.bits)
		}
	case stack:
		g.address(int64(v.bits))
	case local, shared:
		g.op(wasm.OpLocalGet, v.bits)
	case fuel:
		g.sum(g.fuel, int64(v.bits)-p.added.fuel)
	case statements:
		g.sum(g.statements, int64(v.bits)-p.added.statements)
	default:
		fail("a value that is not there is used")
	}
}

// address puts the address at an offset from the loop's first slot.
func (g *generator) address(offset int64) {
	g.op(wasm.OpLocalGet, g.sp)
	if offset != 0 {
		g.op(wasm.OpI32Const, uint64(offset))
		g.op(wasm.OpI32Add)
	}
}

// sum puts a counter and n.
func (g *generator) sum(counter uint64, n int64) {
	g.op(wasm.OpLocalGet, counter)
	if n != 0 {
		g.op(wasm.OpI64Const, uint64(n))
		g.op(wasm.OpI64Add)
	}
}

func (g *generator) add(counter uint64, n int64) {
	if n != 0 {
		g.sum(counter, n)
		g.op(wasm.OpLocalSet, counter)
	}
}

// charge adds to the counters what the path has not added yet, up to the given rest.
func (g *generator) charge(p *path, rest cost) {
	now := p.pending.minus(rest)
	g.add(g.fuel, now.fuel)
	g.add(g.statements, now.statements)
	p.added, p.pending = p.added.plus(now), rest
}

// storeCounters gives the counters, with what they lack, to the guest.
func (g *generator) storeCounters(lacking cost) {
	g.sum(g.fuel, lacking.fuel)
	g.op(wasm.OpGlobalSet, globalFuel)
	g.sum(g.statements, lacking.statements)
	g.op(wasm.OpGlobalSet, globalStatements)
}

func (g *generator) loadCounters() {
	g.op(wasm.OpGlobalGet, globalFuel)
	g.op(wasm.OpLocalSet, g.fuel)
	g.op(wasm.OpGlobalGet, globalStatements)
	g.op(wasm.OpLocalSet, g.statements)
}

// slotLocal is where slot k is at a label.
func (g *generator) slotLocal(k int) uint64 {
	for len(g.slotLocals) <= k {
		g.slotLocals = append(g.slotLocals, g.newLocal(wasm.I64))
	}
	return g.slotLocals[k]
}

// slot is the value of slot k.
func (g *generator) slot(p *path, k int) value {
	if k >= len(p.slots) || p.slots[k].kind == unset {
		fail("slot %d is empty", k)
	}
	if p.slots[k].kind != memory {
		return p.slots[k]
	}
	g.op(wasm.OpLocalGet, g.sp)
	g.emit(access(wasm.OpI64Load, slotSize*k))
	return g.set(wasm.I64)
}

func (g *generator) setSlot(p *path, k int, v value) {
	if v.kind != constant && v.kind != local && v.kind != shared {
		fail("an odd value is put into a slot")
	}
	for len(p.slots) <= k {
		p.slots = append(p.slots, value{})
	}
	p.slots[k] = v
	if p.escaped {
		g.spill(p, k)
	}
}

// spill moves slot k to memory.
func (g *generator) spill(p *path, k int) {
	if v := p.slots[k]; v.kind != memory && v.kind != unset {
		g.op(wasm.OpLocalGet, g.sp)
		g.put(p, v)
		g.emit(access(wasm.OpI64Store, slotSize*k))
		p.slots[k] = inMemory
	}
}

// escape moves all slots to memory, where they stay until the operation's end.
func (g *generator) escape(p *path) {
	for k := range p.slots {
		g.spill(p, k)
	}
	p.escaped = true
}

// settle brings a path to where others arrive too: slots in their locals, and so much
// pending. At labels that is nothing.
func (g *generator) settle(p *path, depth int, pending cost) {
	var moved []int
	for k := range depth {
		at := localOf(wasm.I64, g.slotLocal(k))
		if k < len(p.slots) && p.slots[k].kind == local && p.slots[k].bits == at.bits {
			continue
		}
		moved = append(moved, k)
	}
	var values []value
	for _, k := range moved {
		values = append(values, g.slot(p, k))
	}
	for _, v := range values { // all before any is set: they may be each other's
		g.put(p, v)
	}
	for _, k := range slices.Backward(moved) {
		g.op(wasm.OpLocalSet, g.slotLocal(k))
	}
	p.slots = g.settled(depth)
	g.charge(p, pending)
}

// settled are the slots at a label.
func (g *generator) settled(depth int) (slots []value) {
	for k := range depth {
		slots = append(slots, localOf(wasm.I64, g.slotLocal(k)))
	}
	return slots
}

// access is a load or store of a whole value at an offset.
func access(op wasm.Op, offset int) wasm.Instr {
	const alignment = 3 // the power of two
	return wasm.Instr{Op: op, Imm: uint64(offset), Imm2: alignment}
}
