package guest

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/glovebox-run/glovebox/guest/internal/special"
	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// SharedModule is the name of the module that compiled code imports: the guest.
const SharedModule = special.Module

// Interpreter is QuickJS's interpreter, from which code is compiled.
type Interpreter struct{ special *special.Interpreter }

// ReadInterpreter finds the interpreter in the metered guest.
func ReadInterpreter(metered []byte) (*Interpreter, error) {
	m, err := wasm.Decode(metered)
	if err != nil {
		return nil, fmt.Errorf("guest: %w", err)
	}
	t, err := special.Read(m, special.Names{Memory: Memory, Fuel: GlobalFuel, Statements: GlobalStatements, Bulk: GlobalBulk})
	if err != nil {
		return nil, fmt.Errorf("guest: the interpreter: %w", err)
	}
	return &Interpreter{t}, nil
}

// Compiled is a module with the loops of a program.
type Compiled struct {
	Module []byte
	Enters []uint32 // addresses in memory that become OpEnter
}

// Offsets of this build: of a closure its bytecode, and of that what a tool's code needs.
const (
	bytecodeOfClosure = 32
	codeOfBytecode    = 20 // its address and size
	poolOfBytecode    = 60 // constants, among them the functions inside
	poolSize          = 52
	bytecodeHeader    = 16 // reference count and links, which change
	bytecodeEnd       = 68
	tagBytecode       = -2 // of a constant that is a function
)

// mostFunctions bounds the functions of one program that are looked at.
const mostFunctions = 4000

// Compile compiles the loops of a function and of those inside it. memory is that of an
// image, and closure the address of the function object.
func (in *Interpreter) Compile(memory []byte, closure uint32) (*Compiled, error) {
	r := bytecodeReader{memory: memory}
	r.function(r.word(uint64(closure) + bytecodeOfClosure))
	if r.err != nil {
		return nil, r.err
	}
	c := in.special.Compile(&special.Snapshot{Memory: memory, Fixed: r.fixed}, r.functions, EnterElement)
	return &Compiled{c.Module, c.Enters}, nil
}

// bytecodeReader collects functions.
type bytecodeReader struct {
	memory    []byte
	functions []special.Function
	fixed     [][2]uint32
	err       error
}

var errBytecode = errors.New("guest: what should be a function's bytecode is not")

func (r *bytecodeReader) word(at uint64) uint32 {
	if at+4 > uint64(len(r.memory)) {
		r.err = errBytecode
		return 0
	}
	return binary.LittleEndian.Uint32(r.memory[at:])
}

func (r *bytecodeReader) function(at uint32) {
	if r.err != nil || len(r.functions) >= mostFunctions {
		return
	}
	b := uint64(at)
	f := special.Function{At: at, Code: r.word(b + codeOfBytecode), Size: r.word(b + codeOfBytecode + 4)}
	pool, n := uint64(r.word(b+poolOfBytecode)), uint64(r.word(b+poolSize))
	size := uint64(len(r.memory))
	if r.err != nil || uint64(f.Code)+uint64(f.Size) > size || b+bytecodeEnd > size || n > size || pool+8*n > size {
		r.err = errBytecode
		return
	}
	r.functions = append(r.functions, f)
	r.fixed = append(r.fixed, [2]uint32{f.Code, f.Code + f.Size}, [2]uint32{at + bytecodeHeader, at + bytecodeEnd}, [2]uint32{uint32(pool), uint32(pool + 8*n)})
	for k := range n {
		if int32(r.word(pool+8*k+4)) == tagBytecode {
			r.function(r.word(pool + 8*k))
		}
	}
}
