package wasm

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var (
	errNesting = errors.New("blocks do not nest")
	errLabel   = errors.New("label outside of every block")
	errConst   = errors.New("not a constant expression")
)

// code reads the bodies. All functions share a few large instruction slices:
// one small slice each would cost more to allocate than to fill.
func (d *decoder) code(r *reader) {
	n := r.count(2)
	if r.err == nil && n != len(d.m.Funcs) {
		r.fail(fmt.Errorf("%d bodies for %d functions", n, len(d.m.Funcs)))
	}
	if r.err != nil {
		return
	}
	// An instruction takes at least one byte and 2.1 on average in compiled C.
	pool := make([]Instr, 0, len(r.data)*2/5)
	for i := range d.m.Funcs {
		body := r.section(r.u32())
		f := &d.m.Funcs[i]
		f.Locals = vector(&body, 2, func(r *reader) LocalRun { return LocalRun{r.u32(), valType(r)} })
		var locals uint64
		for _, run := range f.Locals {
			locals += uint64(run.Count)
		}
		if body.err == nil && locals > 50_000 { // every engine has this limit
			body.fail(errors.New("too many locals"))
		}
		start := len(pool)
		pool = d.instrs(&body, f, pool)
		f.Code = pool[start:len(pool):len(pool)]
		if err := body.done(); err != nil {
			r.fail(fmt.Errorf("function body %d: %w", i, err))
			return
		}
		d.bodies++
	}
}

// instrs reads up to the end that closes the body itself.
func (d *decoder) instrs(r *reader, f *Func, pool []Instr) []Instr {
	var open []Op // the blocks around, outermost (the body) first
	open = append(open, OpBlock)
	for len(open) > 0 && r.err == nil {
		in := d.instr(r, f)
		switch in.Op {
		case OpBlock, OpLoop, OpIf:
			open = append(open, in.Op)
		case OpElse:
			if open[len(open)-1] != OpIf {
				r.fail(errNesting)
			}
			open[len(open)-1] = OpElse
		case OpEnd:
			open = open[:len(open)-1]
		case OpBr, OpBrIf:
			if in.Imm >= uint64(len(open)) {
				r.fail(errLabel)
			}
		case OpBrTable:
			for _, label := range f.Targets(in) {
				if int64(label) >= int64(len(open)) {
					r.fail(errLabel)
				}
			}
		}
		pool = append(pool, in)
	}
	return pool
}

func (d *decoder) instr(r *reader, f *Func) Instr {
	in := Instr{Op: Op(r.byte())}
	if in.Op == 0xfc {
		sub := r.u32()
		if sub > 0xff {
			r.fail(fmt.Errorf("unknown operator 0xfc %d", sub))
			return in
		}
		in.Op = in.Op<<8 | Op(sub)
	}
	switch shapeOf(in.Op) {
	case shapeNone:
	case shapeIndex:
		in.Imm = uint64(r.padded(&in, 0))
	case shapeTwo:
		in.Imm = uint64(r.padded(&in, 0))
		in.Imm2 = r.padded(&in, 4)
	case shapeMemory:
		in.Imm2 = r.padded(&in, 4)
		in.Imm = uint64(r.padded(&in, 0))
	case shapeBlock:
		in.Imm = d.blockType(r)
	case shapeI32:
		in.Imm = r.paddedSigned(&in, 32)
	case shapeI64:
		in.Imm = r.paddedSigned(&in, 64)
	case shapeFixed32:
		if b := r.bytes(4); b != nil {
			in.Imm = uint64(binary.LittleEndian.Uint32(b))
		}
	case shapeFixed64:
		if b := r.bytes(8); b != nil {
			in.Imm = binary.LittleEndian.Uint64(b)
		}
	case shapeLabels:
		n := r.count(1)
		in.Imm, in.Imm2 = uint64(len(f.Labels)), uint32(n)+1
		for range n + 1 {
			f.Labels = append(f.Labels, r.u32())
		}
	case shapeTypes:
		if n := r.u32(); r.err == nil && n != 1 {
			r.fail(errors.New("select with other than one type"))
		}
		in.Imm = uint64(valType(r))
	case shapeHeap:
		in.Imm = uint64(valType(r))
	default:
		r.fail(fmt.Errorf("unknown operator %#x", uint16(in.Op)))
	}
	return in
}

func (r *reader) padded(in *Instr, shift uint) uint32 {
	start := r.pos
	v := r.u32()
	if width := r.pos - start; width > 1 && width > unsignedLen(uint64(v)) {
		in.Widths |= uint8(width) << shift
	}
	return v
}

func (r *reader) paddedSigned(in *Instr, bits int) uint64 {
	start := r.pos
	v := r.signed(bits)
	if width := r.pos - start; width > 1 && width > signedLen(v) {
		in.Widths |= uint8(width)
	}
	return uint64(v)
}

func (d *decoder) blockType(r *reader) uint64 {
	v := r.signed(33)
	if v >= 0 {
		if v >= int64(len(d.m.Types)) {
			r.fail(fmt.Errorf("no type %d", v))
		}
		return uint64(v) + TypeBlock
	}
	b := uint64(v & 0x7f)
	if v < -64 || b != EmptyBlock && !ValType(b).valid() {
		r.fail(errors.New("unknown block type"))
	}
	return b
}

// constExpr reads an initialiser: constants, global.get and references.
func (d *decoder) constExpr(r *reader) []Instr {
	var f Func
	var list []Instr
	for r.err == nil {
		in := d.instr(r, &f)
		list = append(list, in)
		switch in.Op {
		case OpEnd:
			return list
		case OpI32Const, OpI64Const, OpF32Const, OpF64Const, OpGlobalGet, OpRefNull, OpRefFunc:
		default:
			r.fail(errConst)
		}
	}
	return list
}
