package special

import (
	"slices"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// kind is how a value is known.
type kind byte

const (
	unset      kind = iota
	constant        // its bits
	stack           // the address of the loop's first slot and an offset in bytes
	local           // a local of the output, which is set once
	shared          // a local that the interpreter has shared
	memory          // of a stack slot: it lies in memory
	fuel            // the counter at the operation's begin and an offset
	statements      // the same
	bulk            // the counter as it is and an offset
)

// value is what is known of a value of the interpreter.
type value struct {
	kind  kind
	typ   wasm.ValType
	bits  uint64 // the constant, the offset or the local
	small bool   // an i64 whose upper half is zero
}

// const32 is a constant as instructions hold it.
func const32(v uint32) value {
	return value{kind: constant, typ: wasm.I32, bits: uint64(int64(int32(v)))}
}

func const64(v uint64) value {
	return value{kind: constant, typ: wasm.I64, bits: v, small: v>>32 == 0}
}

func localOf(typ wasm.ValType, index uint64) value { return value{kind: local, typ: typ, bits: index} }

var inMemory = value{kind: memory, typ: wasm.I64}

// path is a path through the interpreter's code.
type path struct {
	locals  []value // of the interpreter
	operand []value // on WebAssembly's stack
	slots   []value // of the JavaScript stack, from the loop's first up

	pending cost // not yet added to the output's counters
	added   cost // since the operation began

	escaped bool // something has a pointer to the slots: they lie in memory
	unknown bool // what was charged since is not known here
	loops   []openLoop
}

// openLoop is a loop of the interpreter's code around the path.
type openLoop struct {
	at     int // its instruction
	depth  int // of the output
	locals []int
	canon  []uint64 // in which locals of the output these are at its head
}

func (p *path) clone() *path {
	q := *p
	q.locals, q.operand, q.slots, q.loops = slices.Clone(p.locals), slices.Clone(p.operand), slices.Clone(p.slots), slices.Clone(p.loops)
	return &q
}

func (p *path) push(v value) { p.operand = append(p.operand, v) }

func (p *path) pop() value {
	last := len(p.operand) - 1
	v := p.operand[last]
	p.operand = p.operand[:last]
	return v
}

// total is what was charged since the operation began.
func (p *path) total() cost { return p.pending.plus(p.added) }

// depth is how many slots are in use.
func (p *path) depth() int { return int(int64(p.locals[LocalSP].bits)) / slotSize }

// slotSize is the size of a JavaScript value in bytes.
const slotSize = 8
