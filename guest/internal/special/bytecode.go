package special

import (
	"encoding/binary"
	"slices"
)

// Function is a bytecode function in memory: its description, and where its operations
// are.
type Function struct{ At, Code, Size uint32 }

// Snapshot is the memory of an image, and the ranges of it that never change.
type Snapshot struct {
	Memory []byte
	Fixed  [][2]uint32
}

func (s *Snapshot) isFixed(at, size uint32) bool {
	return slices.ContainsFunc(s.Fixed, func(r [2]uint32) bool { return at >= r[0] && at < r[1] && size <= r[1]-at })
}

// Operations that jump.
const (
	opIfFalse  = 104
	opIfTrue   = 105
	opGoto     = 106
	opIfFalse8 = 240
	opIfTrue8  = 241
	opGoto8    = 242
	opGoto16   = 243
)

// sizes are those of the operations in bytes, by their number, in hexadecimal digits.
const sizes = "1555551111112311111111111111111113333333111111111653111555511666555111111115511111262663333333333333333355555111111aaaaaa777511112111211111111111222111151111111111111111111111115133112111111111123221222111111111111111111111111111111111111112223111111111111"

func (s *Snapshot) size(at uint32) uint32 {
	switch digit := sizes[s.Memory[at]]; digit {
	case 'a':
		return 10
	default:
		return uint32(digit - '0')
	}
}

// jump is where the operation at an address jumps.
func (s *Snapshot) jump(at uint32) (to uint32, ok bool) {
	from := at + 1 // offsets count from here
	switch operand := s.Memory[from:]; s.Memory[at] {
	case opIfFalse, opIfTrue, opGoto:
		return from + binary.LittleEndian.Uint32(operand), true
	case opIfFalse8, opIfTrue8, opGoto8:
		return from + uint32(int8(operand[0])), true
	case opGoto16:
		return from + uint32(int16(binary.LittleEndian.Uint16(operand))), true
	}
	return 0, false
}

// takes is how many slots the operation of a jump takes off the stack.
func (s *Snapshot) takes(at uint32) int {
	switch s.Memory[at] {
	case opGoto, opGoto8, opGoto16:
		return 0
	}
	return 1
}

// loop is a loop of bytecode.
type loop struct {
	head, end uint32
	back      []uint32 // operations that jump back to the head
}

func (l *loop) contains(at uint32) bool { return l.head < at && at < l.end }

// Functions with more code or loops are left to the interpreter: compiling takes time in
// proportion to both.
const (
	largestFunction = 16 << 10 // bytes
	mostLoops       = 64
)

// loops finds the loops of a function, by their heads; nil when there are too many, or
// when a jump does not lead to an operation.
func (s *Snapshot) loops(f Function) []loop {
	if f.Size > largestFunction || !s.isFixed(f.Code, f.Size) {
		return nil
	}
	var list []loop
	end := f.Code + f.Size
	begins := make([]bool, f.Size) // an operation, by offset
	var targets []uint32
	for at := f.Code; at < end; at += s.size(at) {
		if at+s.size(at) > end {
			return nil
		}
		begins[at-f.Code] = true
		to, ok := s.jump(at)
		if !ok {
			continue
		}
		if targets = append(targets, to); to > at {
			continue
		}
		k := slices.IndexFunc(list, func(l loop) bool { return l.head == to })
		if k < 0 {
			if k = len(list); k == mostLoops {
				return nil
			}
			list = append(list, loop{head: to})
		}
		list[k].back = append(list[k].back, at)
		list[k].end = at + s.size(at)
	}
	for _, to := range targets {
		if to < f.Code || to >= end || !begins[to-f.Code] {
			return nil
		}
	}
	slices.SortFunc(list, func(a, b loop) int { return int(a.head) - int(b.head) })
	// What begins inside a loop ends there.
	for outer := len(list) - 1; outer >= 0; outer-- {
		l := &list[outer]
		for _, inner := range list[outer+1:] {
			if inner.head < l.end {
				l.end = max(l.end, inner.end)
			}
		}
	}
	return list
}
