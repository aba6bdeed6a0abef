package wasm

import "fmt"

// Op is an operator. Those behind the 0xfc prefix are prefix<<8 | number.
type Op uint16

const (
	OpUnreachable  Op = 0x00
	OpNop          Op = 0x01
	OpBlock        Op = 0x02
	OpLoop         Op = 0x03
	OpIf           Op = 0x04
	OpElse         Op = 0x05
	OpEnd          Op = 0x0b
	OpBr           Op = 0x0c
	OpBrIf         Op = 0x0d
	OpBrTable      Op = 0x0e
	OpReturn       Op = 0x0f
	OpCall         Op = 0x10
	OpCallIndirect Op = 0x11
	OpDrop         Op = 0x1a
	OpSelect       Op = 0x1b
	OpSelectType   Op = 0x1c
	OpLocalGet     Op = 0x20
	OpLocalSet     Op = 0x21
	OpLocalTee     Op = 0x22
	OpGlobalGet    Op = 0x23
	OpGlobalSet    Op = 0x24
	OpTableGet     Op = 0x25
	OpTableSet     Op = 0x26
	OpI32Load      Op = 0x28
	OpI64Load      Op = 0x29
	OpF32Load      Op = 0x2a
	OpF64Load      Op = 0x2b
	OpI32Load8S    Op = 0x2c
	OpI32Load8U    Op = 0x2d
	OpI32Load16S   Op = 0x2e
	OpI32Load16U   Op = 0x2f
	OpI64Load8S    Op = 0x30
	OpI64Load8U    Op = 0x31
	OpI64Load16S   Op = 0x32
	OpI64Load16U   Op = 0x33
	OpI64Load32S   Op = 0x34
	OpI64Load32U   Op = 0x35
	OpI32Store     Op = 0x36
	OpI64Store     Op = 0x37
	OpI64Store32   Op = 0x3e
	OpMemorySize   Op = 0x3f
	OpMemoryGrow   Op = 0x40
	OpI32Const     Op = 0x41
	OpI64Const     Op = 0x42
	OpF32Const     Op = 0x43
	OpF64Const     Op = 0x44
	OpI32Eqz       Op = 0x45
	OpI32Eq        Op = 0x46
	OpI32Ne        Op = 0x47
	OpI32LtS       Op = 0x48
	OpI32LtU       Op = 0x49
	OpI32GtS       Op = 0x4a
	OpI32GtU       Op = 0x4b
	OpI64Eqz       Op = 0x50
	OpI64Eq        Op = 0x51
	OpI64Ne        Op = 0x52
	OpI64LtS       Op = 0x53
	OpI64LtU       Op = 0x54
	OpI64GtS       Op = 0x55
	OpI64GtU       Op = 0x56
	OpI64GeS       Op = 0x59
	OpF64Ge        Op = 0x66
	OpI32Clz       Op = 0x67
	OpI32Popcnt    Op = 0x69
	OpI32Add       Op = 0x6a
	OpI32Sub       Op = 0x6b
	OpI32Mul       Op = 0x6c
	OpI32And       Op = 0x71
	OpI32Or        Op = 0x72
	OpI32Xor       Op = 0x73
	OpI32Shl       Op = 0x74
	OpI32ShrS      Op = 0x75
	OpI32ShrU      Op = 0x76
	OpI32Rotr      Op = 0x78
	OpI64Clz       Op = 0x79
	OpI64Popcnt    Op = 0x7b
	OpI64Add       Op = 0x7c
	OpI64Sub       Op = 0x7d
	OpI64And       Op = 0x83
	OpI64Or        Op = 0x84
	OpI64Shl       Op = 0x86
	OpI64ShrU      Op = 0x88
	OpI64Rotr      Op = 0x8a
	OpF64Abs       Op = 0x99
	OpF64Sqrt      Op = 0x9f
	OpF64Add       Op = 0xa0
	OpF64Copysign  Op = 0xa6
	OpI32WrapI64   Op = 0xa7
	OpI32TruncF64U Op = 0xab
	OpI64ExtendS   Op = 0xac
	OpI64ExtendU   Op = 0xad
	OpI64TruncF64U Op = 0xb1
	OpF64ConvertS  Op = 0xb7
	OpF64Promote   Op = 0xbb
	OpI32FromF32   Op = 0xbc
	OpI64FromF64   Op = 0xbd
	OpF64FromI64   Op = 0xbf
	OpI32Extend8S  Op = 0xc0
	OpI32Extend16S Op = 0xc1
	OpI64Extend8S  Op = 0xc2
	OpI64Extend32S Op = 0xc4
	OpRefNull      Op = 0xd0
	OpRefIsNull    Op = 0xd1
	OpRefFunc      Op = 0xd2

	OpMemoryInit Op = 0xfc08
	OpDataDrop   Op = 0xfc09
	OpMemoryCopy Op = 0xfc0a
	OpMemoryFill Op = 0xfc0b
	OpTableInit  Op = 0xfc0c
	OpElemDrop   Op = 0xfc0d
	OpTableCopy  Op = 0xfc0e
	OpTableGrow  Op = 0xfc0f
	OpTableSize  Op = 0xfc10
	OpTableFill  Op = 0xfc11
)

func (o Op) String() string { return fmt.Sprintf("op %#x", uint16(o)) }

// shape says which immediates follow an operator.
type shape byte

const (
	shapeUnknown shape = iota
	shapeNone          // nothing
	shapeBlock         // block type, signed 33 bits
	shapeIndex         // one index
	shapeTwo           // two indices
	shapeLabels        // vector of labels and a default
	shapeTypes         // vector of value types
	shapeMemory        // alignment, offset
	shapeI32           // signed 32 bits
	shapeI64           // signed 64 bits
	shapeFixed32       // four bytes
	shapeFixed64       // eight bytes
	shapeHeap          // one byte, a reference type
)

// shapeOf is the operator table of the binary format.
func shapeOf(o Op) shape {
	switch {
	case o == OpBlock || o == OpLoop || o == OpIf:
		return shapeBlock
	case o == OpBr || o == OpBrIf || o == OpCall || o >= OpLocalGet && o <= OpTableSet ||
		o == OpMemorySize || o == OpMemoryGrow || o == OpRefFunc ||
		o == OpDataDrop || o == OpMemoryFill || o == OpElemDrop || o >= OpTableGrow && o <= OpTableFill:
		return shapeIndex
	case o == OpBrTable:
		return shapeLabels
	case o == OpCallIndirect || o == OpMemoryInit || o == OpMemoryCopy || o == OpTableInit || o == OpTableCopy:
		return shapeTwo
	case o == OpSelectType:
		return shapeTypes
	case o >= OpI32Load && o <= OpI64Store32:
		return shapeMemory
	case o == OpI32Const:
		return shapeI32
	case o == OpI64Const:
		return shapeI64
	case o == OpF32Const:
		return shapeFixed32
	case o == OpF64Const:
		return shapeFixed64
	case o == OpRefNull:
		return shapeHeap
	case o == OpUnreachable || o == OpNop || o == OpElse || o == OpEnd || o == OpReturn || o == OpDrop || o == OpSelect ||
		o >= OpI32Eqz && o <= OpI64Extend32S || o == OpRefIsNull || o >= 0xfc00 && o < OpMemoryInit:
		return shapeNone
	}
	return shapeUnknown
}
