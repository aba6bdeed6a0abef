package special

import (
	"slices"
	"testing"
)

// Operations of one byte, and short jumps by an offset from their operand.
const opDrop = 14

func snapshotOf(code ...byte) (*Snapshot, Function) {
	return &Snapshot{Memory: code, Fixed: [][2]uint32{{0, uint32(len(code))}}}, Function{Code: 0, Size: uint32(len(code))}
}

func TestLoops(t *testing.T) {
	back := func(n int) byte { return byte(int8(-n)) }
	s, f := snapshotOf(
		opDrop,        // 0: the outer head
		opIfFalse8, 7, // 1: to 9
		opDrop,             // 3: the inner head
		opIfTrue8, back(2), // 4: to 3
		opGoto8, back(7), // 6: to 0
		opDrop,           // 8
		opGoto8, back(7), // 9: to 3, out of the outer loop into the inner one
		opDrop, // 11
	)
	got := s.loops(f)
	want := []loop{{head: 0, end: 11, back: []uint32{6}}, {head: 3, end: 11, back: []uint32{4, 9}}}
	if !slices.EqualFunc(got, want, func(a, b loop) bool { return a.head == b.head && a.end == b.end && slices.Equal(a.back, b.back) }) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLoopsOfWhatIsNoCode(t *testing.T) {
	tooMany := []byte{}
	for range mostLoops + 1 {
		tooMany = append(tooMany, opDrop, opGoto8, 0xfe)
	}
	for name, code := range map[string][]byte{
		"a jump into an operation": {opGoto, 0, 0, 0, 0, opGoto8, 0xfb},
		"a jump out of the code":   {opDrop, opGoto8, 0xf0},
		"a jump behind the code":   {opDrop, opGoto8, 0xfe, opGoto8, 1},
		"half an operation":        {opDrop, opGoto8, 0xfe, opGoto, 0},
		"too many loops":           tooMany,
	} {
		s, f := snapshotOf(code...)
		if got := s.loops(f); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	s, f := snapshotOf(opDrop, opGoto8, 0xfe)
	if len(s.loops(f)) != 1 {
		t.Error("a loop is not found")
	}
	s.Fixed = nil
	if s.loops(f) != nil {
		t.Error("code that may change is read")
	}
}
