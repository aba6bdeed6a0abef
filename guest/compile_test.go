package guest_test

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/glovebox-run/glovebox/guest"
)

var interpreter = sync.OnceValues(func() (*guest.Interpreter, error) {
	metered, err := guest.Build(guest.Metered)
	if err != nil {
		return nil, err
	}
	return guest.ReadInterpreter(metered)
})

func TestOnlyTheMeteredInterpreterIsCompiledFrom(t *testing.T) {
	linked, err := guest.Build(guest.Linked)
	if err != nil {
		t.Fatal(err)
	}
	for name, module := range map[string][]byte{"linked": linked, "empty": []byte("\x00asm\x01\x00\x00\x00"), "none": nil} {
		if _, err := guest.ReadInterpreter(module); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Compile reads what a guest has left in its memory, which may be anything.
func TestCompileOfAnyMemory(t *testing.T) {
	in, err := interpreter()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	const size = 1 << 12
	compiled := 0
	for range 2000 {
		memory := make([]byte, size)
		for at := range memory {
			memory[at] = byte(random.Uint32())
		}
		word := func(at, v uint32) { binary.LittleEndian.PutUint32(memory[at:], v) }
		if random.IntN(2) == 0 { // mostly operations of one byte, and jumps
			for at := 256; at < 3072; at++ {
				memory[at] = byte(128 + random.IntN(100))
				if random.IntN(40) == 0 {
					memory[at], memory[at+1] = byte(240+random.IntN(3)), byte(random.IntN(60)-40)
					at++
				}
			}
		}
		// A closure at 0, a function at 64, its code at 256 and its constants at 3072, all
		// of them sometimes wrong.
		word(32, 64)
		word(64+20, 256)
		word(64+24, random.Uint32N(100))
		word(64+60, 3072)
		word(64+52, random.Uint32N(40))
		for k := range uint32(40) {
			if random.IntN(3) == 0 {
				word(3072+8*k+4, 1<<32-2)
				word(3072+8*k, random.Uint32N(size+100))
			}
		}
		if random.IntN(8) == 0 {
			word(64+random.Uint32N(16)*4, random.Uint32())
		}
		c, err := in.Compile(memory, 0)
		if err == nil && len(c.Enters) > 0 {
			compiled++
		}
	}
	if compiled == 0 {
		t.Error("nothing was ever compiled")
	}
	if _, err := in.Compile(make([]byte, 40), 1<<32-8); err == nil {
		t.Error("an address behind the memory is no error")
	}
}
