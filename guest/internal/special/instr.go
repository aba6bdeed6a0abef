package special

import (
	"encoding/binary"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// instr does an instruction of the interpreter that does not branch.
func (g *generator) instr(in wasm.Instr, p *path) {
	switch in.Op {
	case wasm.OpI32Const:
		p.push(const32(uint32(in.Imm)))
	case wasm.OpI64Const:
		p.push(const64(in.Imm))
	case wasm.OpF64Const:
		p.push(value{kind: constant, typ: wasm.F64, bits: in.Imm})
	case wasm.OpLocalGet:
		v := p.locals[in.Imm]
		if v.kind == unset {
			fail("local %d is not set", in.Imm)
		}
		p.push(v)
	case wasm.OpLocalSet:
		p.locals[in.Imm] = p.pop()
	case wasm.OpLocalTee:
		p.locals[in.Imm] = p.operand[len(p.operand)-1]
	case wasm.OpDrop:
		p.pop()
	case wasm.OpGlobalGet:
		g.getCounter(in.Imm, p)
	case wasm.OpGlobalSet:
		g.setCounter(in.Imm, p)
	case wasm.OpSelect:
		g.choose(p)
	case wasm.OpCall:
		g.call(uint32(in.Imm), p)
	default:
		switch {
		case in.Op >= wasm.OpI32Load && in.Op <= wasm.OpI64Load32U:
			g.load(in, p)
		case in.Op >= wasm.OpI32Store && in.Op <= wasm.OpI64Store32:
			g.store(in, p)
		default:
			g.numeric(in.Op, p)
		}
	}
}

func (g *generator) getCounter(global uint64, p *path) {
	v := value{typ: wasm.I64}
	switch total := p.total(); global {
	case g.Interpreter.fuel:
		v.kind, v.bits = fuel, uint64(total.fuel)
	case g.Interpreter.statements:
		v.kind, v.bits = statements, uint64(total.statements)
	case g.bulk:
		v.kind = bulk
	default:
		fail("global %d is read", global)
	}
	p.push(v)
}

func (g *generator) setCounter(global uint64, p *path) {
	v := p.pop()
	switch {
	case v.kind == fuel && global == g.Interpreter.fuel:
		p.pending.fuel = int64(v.bits) - p.added.fuel
	case v.kind == statements && global == g.Interpreter.statements:
		p.pending.statements = int64(v.bits) - p.added.statements
	case v.kind == bulk && global == g.bulk:
		g.op(wasm.OpGlobalGet, globalBulk)
		g.op(wasm.OpI64Const, v.bits)
		g.op(wasm.OpI64Add)
		g.op(wasm.OpGlobalSet, globalBulk)
	default:
		fail("global %d is set", global)
	}
}

func (g *generator) choose(p *path) {
	c, b, a := p.pop(), p.pop(), p.pop()
	if c.kind == constant {
		if c.bits != 0 {
			b = a
		}
		p.push(b)
		return
	}
	g.ready(p, a, b, c)
	g.put(p, a)
	g.put(p, b)
	g.put(p, c)
	g.op(wasm.OpSelect)
	p.push(g.set(a.typ))
}

// call calls a function of the guest, which may look at the counters and change them.
func (g *generator) call(function uint32, p *path) {
	if g.names[function] == "" {
		fail("a function is called that is not exported")
	}
	typ := g.signatures[function]
	first := len(p.operand) - len(typ.Params)
	arguments := p.operand[first:]
	g.ready(p, arguments...)
	g.storeCounters(p.pending)
	p.added, p.pending = p.added.plus(p.pending), cost{}
	for _, a := range arguments {
		g.put(p, a)
	}
	p.operand = p.operand[:first]
	g.op(wasm.OpCall, g.imported(function))
	if len(typ.Results) > 0 {
		p.push(g.set(typ.Results[0]))
	}
	g.loadCounters()
	p.unknown = true
}

func (g *generator) load(in wasm.Instr, p *path) {
	typ := loadedType(in.Op)
	a := p.pop()
	switch a.kind {
	case constant:
		if v, ok := g.constantAt(in.Op, uint32(a.bits)+uint32(in.Imm)); ok {
			p.push(v)
			return
		}
		g.put(p, a)
	case stack:
		offset := int64(a.bits) + int64(in.Imm)
		if offset >= 0 {
			g.loadSlot(in.Op, int(offset), p)
			return
		}
		g.address(offset) // below the loop's part of the stack
		in.Imm = 0
	default:
		g.put(p, a)
	}
	g.emit(in)
	v := g.set(typ)
	v.small = in.Op == wasm.OpI64Load8U || in.Op == wasm.OpI64Load16U || in.Op == wasm.OpI64Load32U
	p.push(v)
}

func loadedType(op wasm.Op) wasm.ValType {
	switch op {
	case wasm.OpI32Load, wasm.OpI32Load8S, wasm.OpI32Load8U, wasm.OpI32Load16S, wasm.OpI32Load16U:
		return wasm.I32
	case wasm.OpF32Load:
		return wasm.F32
	case wasm.OpF64Load:
		return wasm.F64
	}
	return wasm.I64
}

// loadSlot reads a slot, or the half of one.
func (g *generator) loadSlot(op wasm.Op, offset int, p *path) {
	p.push(g.slot(p, offset/slotSize))
	upper := offset%slotSize == slotSize/2
	if upper {
		p.push(const64(32))
		g.numeric(wasm.OpI64ShrU, p)
	} else if offset%slotSize != 0 {
		fail("a part of a slot is read")
	}
	switch {
	case op == wasm.OpI64Load && !upper:
	case op == wasm.OpI32Load:
		g.numeric(wasm.OpI32WrapI64, p)
	case op == wasm.OpI64Load32U && upper:
	case op == wasm.OpI64Load32U:
		p.push(const64(1<<32 - 1))
		g.numeric(wasm.OpI64And, p)
	case op == wasm.OpI64Load32S:
		g.numeric(wasm.OpI64Extend32S, p)
	default:
		fail("a part of a slot is read")
	}
}

// constantAt loads from memory that never changes.
func (g *generator) constantAt(op wasm.Op, at uint32) (value, bool) {
	size := uint32(4)
	switch op {
	case wasm.OpI64Load:
		size = 8
	case wasm.OpI32Load8S, wasm.OpI32Load8U, wasm.OpI64Load8S, wasm.OpI64Load8U:
		size = 1
	case wasm.OpI32Load16S, wasm.OpI32Load16U, wasm.OpI64Load16S, wasm.OpI64Load16U:
		size = 2
	}
	if !g.snapshot.isFixed(at, size) {
		return value{}, false
	}
	var bytes [8]byte
	copy(bytes[:], g.snapshot.Memory[at:at+size])
	bits := binary.LittleEndian.Uint64(bytes[:])
	switch op {
	case wasm.OpI32Load, wasm.OpI32Load8U, wasm.OpI32Load16U:
		return const32(uint32(bits)), true
	case wasm.OpI32Load8S:
		return const32(uint32(int8(bits))), true
	case wasm.OpI32Load16S:
		return const32(uint32(int16(bits))), true
	case wasm.OpI64Load, wasm.OpI64Load8U, wasm.OpI64Load16U, wasm.OpI64Load32U:
		return const64(bits), true
	case wasm.OpI64Load8S:
		return const64(uint64(int8(bits))), true
	case wasm.OpI64Load16S:
		return const64(uint64(int16(bits))), true
	case wasm.OpI64Load32S:
		return const64(uint64(int32(bits))), true
	}
	return value{}, false
}

func (g *generator) store(in wasm.Instr, p *path) {
	v, a := p.pop(), p.pop()
	if a.kind == stack {
		offset := int64(a.bits) + int64(in.Imm)
		if offset >= 0 {
			if in.Op != wasm.OpI64Store || offset%slotSize != 0 {
				fail("a part of a slot is written")
			}
			g.setSlot(p, int(offset/slotSize), v)
			return
		}
		g.ready(p, v)
		g.address(offset)
		in.Imm = 0
	} else {
		g.ready(p, v)
		g.put(p, a)
	}
	g.put(p, v)
	g.emit(in)
}

// numeric does an operation on numbers.
func (g *generator) numeric(op wasm.Op, p *path) {
	small := op == wasm.OpI64ExtendU
	n, result := arity(op)
	switch n {
	case 0:
		fail("%v", op)
	case 1:
		a := p.pop()
		if v, ok := foldOne(op, a); ok {
			p.push(v)
			return
		}
		g.ready(p, a)
		g.put(p, a)
	default:
		b, a := p.pop(), p.pop()
		if v, ok := foldTwo(op, a, b); ok {
			p.push(v)
			return
		}
		g.ready(p, a, b)
		g.put(p, a)
		g.put(p, b)
		small = op == wasm.OpI64And && b.small
	}
	g.op(op)
	v := g.set(result)
	v.small = small
	p.push(v)
}
