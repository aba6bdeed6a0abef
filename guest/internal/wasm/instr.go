package wasm

// Instr is one instruction. What the two immediates are depends on Op:
//
//	block, loop, if         Imm block type: 0x40 empty, a ValType, or typeIndex+TypeBlock
//	br, br_if, call, local.*, global.*, table.*, memory.size, ...    Imm index
//	br_table                Imm start in Func.Labels, Imm2 count with the default, which is last
//	call_indirect           Imm type, Imm2 table
//	loads and stores        Imm offset, Imm2 alignment
//	memory.copy, table.copy Imm destination, Imm2 source; memory.init: segment, memory
//	constants               Imm bits; i32 sign-extended
type Instr struct {
	Op Op
	// Widths are the bytes the two immediates took when that was more than they
	// need (low and high four bits, else 0). Linkers pad what they patch; keeping
	// it makes an untouched module encode to the same bytes.
	Widths uint8
	Imm2   uint32
	Imm    uint64
}

// TypeBlock marks a block type that is an index into Module.Types.
const TypeBlock = 1 << 32

// EmptyBlock is the type of a block without parameters and results.
const EmptyBlock = 0x40

// I is an instruction with at most one immediate.
func I(op Op, imm ...uint64) Instr {
	in := Instr{Op: op}
	if len(imm) > 0 {
		in.Imm = imm[0]
	}
	return in
}

// Targets are the labels of a br_table, the default last.
func (f *Func) Targets(in Instr) []uint32 {
	return f.Labels[in.Imm : in.Imm+uint64(in.Imm2)]
}

// Params counts the parameters of f, which are its first locals.
func (m *Module) Params(f *Func) int { return len(m.Types[f.Type].Params) }

// AddLocal gives f one more local and returns its index.
func (m *Module) AddLocal(f *Func, t ValType) uint64 {
	n := uint64(m.Params(f))
	for _, run := range f.Locals {
		n += uint64(run.Count)
	}
	f.Locals = append(f.Locals[:len(f.Locals):len(f.Locals)], LocalRun{1, t})
	return n
}

// Counter is a mutable i64 global that starts at zero.
func Counter() Global {
	return Global{Type: GlobalType{Type: I64, Mutable: true}, Init: []Instr{I(OpI64Const, 0), I(OpEnd)}}
}
