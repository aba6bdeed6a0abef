package special

import "github.com/glovebox-run/glovebox/guest/internal/wasm"

// arity is how many operands an operation on numbers has, and the type of its result; 0
// for one that is not followed.
func arity(op wasm.Op) (int, wasm.ValType) {
	within := func(first, last wasm.Op) bool { return op >= first && op <= last }
	switch {
	case op == wasm.OpI32Eqz, op == wasm.OpI64Eqz, within(wasm.OpI32Clz, wasm.OpI32Popcnt), within(wasm.OpI32WrapI64, wasm.OpI32TruncF64U),
		op == wasm.OpI32FromF32, op == wasm.OpI32Extend8S, op == wasm.OpI32Extend16S:
		return 1, wasm.I32
	case within(wasm.OpI32Eq, wasm.OpF64Ge), within(wasm.OpI32Add, wasm.OpI32Rotr):
		return 2, wasm.I32
	case within(wasm.OpI64Clz, wasm.OpI64Popcnt), within(wasm.OpI64ExtendS, wasm.OpI64TruncF64U), op == wasm.OpI64FromF64,
		within(wasm.OpI64Extend8S, wasm.OpI64Extend32S):
		return 1, wasm.I64
	case within(wasm.OpI64Add, wasm.OpI64Rotr):
		return 2, wasm.I64
	case within(wasm.OpF64Abs, wasm.OpF64Sqrt), within(wasm.OpF64ConvertS, wasm.OpF64Promote), op == wasm.OpF64FromI64:
		return 1, wasm.F64
	case within(wasm.OpF64Add, wasm.OpF64Copysign):
		return 2, wasm.F64
	}
	return 0, 0
}

func truth(b bool) (value, bool) {
	if b {
		return const32(1), true
	}
	return const32(0), true
}

// foldOne computes an operation with one operand, if that is known.
func foldOne(op wasm.Op, a value) (value, bool) {
	if a.kind != constant {
		return value{}, false
	}
	switch op {
	case wasm.OpI32Eqz:
		return truth(uint32(a.bits) == 0)
	case wasm.OpI64Eqz:
		return truth(a.bits == 0)
	case wasm.OpI32WrapI64:
		return const32(uint32(a.bits)), true
	case wasm.OpI64ExtendU:
		return const64(uint64(uint32(a.bits))), true
	case wasm.OpI64ExtendS, wasm.OpI64Extend32S:
		return const64(uint64(int64(int32(a.bits)))), true
	}
	return value{}, false
}

// foldTwo computes an operation with two operands, as far as they are known.
func foldTwo(op wasm.Op, a, b value) (value, bool) {
	if a.kind == constant && b.kind == constant {
		if v, ok := fold32(op, uint32(a.bits), uint32(b.bits)); ok {
			return v, true
		}
		return fold64(op, a.bits, b.bits)
	}
	if a.kind == constant && b.kind == stack && op == wasm.OpI32Add {
		a, b = b, a
	}
	if b.kind != constant {
		return value{}, false
	}
	const ones = 1<<32 - 1
	switch {
	case a.kind == stack && op == wasm.OpI32Add, isCounter(a) && op == wasm.OpI64Add:
		a.bits += b.bits
		return a, true
	case a.kind == stack && op == wasm.OpI32Sub, isCounter(a) && op == wasm.OpI64Sub:
		a.bits -= b.bits
		return a, true
	case a.kind == statements && op == wasm.OpI64GtS:
		return truth(false) // the stretch's check has looked
	case !a.small:
	case op == wasm.OpI64ShrU && b.bits == 32:
		return const64(0), true
	case op == wasm.OpI64GtU && b.bits >= ones:
		return truth(false)
	case op == wasm.OpI64LtU && b.bits > ones:
		return truth(true)
	case op == wasm.OpI64And && b.bits == ones:
		return a, true
	}
	return value{}, false
}

func isCounter(v value) bool { return v.kind == fuel || v.kind == statements || v.kind == bulk }

func fold32(op wasm.Op, a, b uint32) (value, bool) {
	switch op {
	case wasm.OpI32Add:
		return const32(a + b), true
	case wasm.OpI32Sub:
		return const32(a - b), true
	case wasm.OpI32Mul:
		return const32(a * b), true
	case wasm.OpI32And:
		return const32(a & b), true
	case wasm.OpI32Or:
		return const32(a | b), true
	case wasm.OpI32Xor:
		return const32(a ^ b), true
	case wasm.OpI32Shl:
		return const32(a << (b & 31)), true
	case wasm.OpI32ShrU:
		return const32(a >> (b & 31)), true
	case wasm.OpI32ShrS:
		return const32(uint32(int32(a) >> (b & 31))), true
	case wasm.OpI32Eq:
		return truth(a == b)
	case wasm.OpI32Ne:
		return truth(a != b)
	case wasm.OpI32LtS:
		return truth(int32(a) < int32(b))
	case wasm.OpI32LtU:
		return truth(a < b)
	case wasm.OpI32GtS:
		return truth(int32(a) > int32(b))
	case wasm.OpI32GtU:
		return truth(a > b)
	}
	return value{}, false
}

func fold64(op wasm.Op, a, b uint64) (value, bool) {
	switch op {
	case wasm.OpI64Add:
		return const64(a + b), true
	case wasm.OpI64Sub:
		return const64(a - b), true
	case wasm.OpI64And:
		return const64(a & b), true
	case wasm.OpI64Or:
		return const64(a | b), true
	case wasm.OpI64Shl:
		return const64(a << (b & 63)), true
	case wasm.OpI64ShrU:
		return const64(a >> (b & 63)), true
	case wasm.OpI64Eq:
		return truth(a == b)
	case wasm.OpI64Ne:
		return truth(a != b)
	case wasm.OpI64LtU:
		return truth(a < b)
	case wasm.OpI64GtU:
		return truth(a > b)
	}
	return value{}, false
}
