package guest

import (
	"fmt"
	"math"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// A surcharge prices a place where QuickJS follows a pointer to anywhere on the heap,
// in a loop of so few instructions that fuel without it would not bound the time: a
// hop along 90,000 prototypes takes 14 units and, each of them waiting for memory, 100
// ns, where other code runs 500 units.
type surcharge struct {
	what    string
	pattern []wasm.Instr // what the place looks like in this build
	count   int          // how many there are
	units   int64
}

// anyIndex stands for any local or label in a pattern.
const anyIndex = math.MaxUint64

func surcharges() []surcharge {
	const shapeOfObject, prototypeOfShape, nextShape, bucketsOfMap = 16, 44, 40, 20
	return []surcharge{
		// object->shape->proto: reads of properties that are not the object's own,
		// writes, in, instanceof, Object.getPrototypeOf and setPrototypeOf.
		// One that is only compared is not followed.
		{"a prototype is read", []wasm.Instr{load(shapeOfObject), load(prototypeOfShape), wasm.I(wasm.OpLocalTee, anyIndex)}, 15, 400},
		{"a prototype is read by a write", []wasm.Instr{load(shapeOfObject), load(prototypeOfShape), wasm.I(wasm.OpLocalSet, anyIndex)}, 1, 400},
		// The same where the shape is in a local: the interpreter's own reads of properties.
		{"a prototype is read in a loop", []wasm.Instr{wasm.I(wasm.OpLocalGet, anyIndex), load(prototypeOfShape), wasm.I(wasm.OpLocalTee, anyIndex), wasm.I(wasm.OpBrIf, anyIndex)}, 4, 400},
		// hash & (map->size - 1): all that looks a key up in a Map or Set, or adds one.
		{"a key is looked up", []wasm.Instr{load(bucketsOfMap), wasm.I(wasm.OpI32Const, math.MaxUint64), wasm.I(wasm.OpI32Add), wasm.I(wasm.OpI32And)}, 15, 400},
		// The table of all shapes does not grow with their number: an object whose keys no
		// other object has is looked for among hundreds, when it is made and when it goes.
		{"the next shape is compared", []wasm.Instr{load(nextShape), wasm.I(wasm.OpLocalTee, anyIndex), wasm.I(wasm.OpBrIf, anyIndex)}, 71, 100},
		{"the next shape is passed", []wasm.Instr{load(0), wasm.I(wasm.OpLocalTee, anyIndex), wasm.I(wasm.OpI32Const, nextShape), wasm.I(wasm.OpI32Add)}, 10, 100},
	}
}

// checkSurcharges requires of a linked module that each place is where it is expected.
func checkSurcharges(m *wasm.Module) error {
	for _, s := range surcharges() {
		found := 0
		for _, f := range m.Funcs {
			for i := range f.Code {
				if s.is(f.Code[i:]) {
					found++
				}
			}
		}
		if found != s.count {
			return fmt.Errorf("surcharges: %s in %d places, want %d", s.what, found, s.count)
		}
	}
	return nil
}

func (s surcharge) is(code []wasm.Instr) bool {
	if len(code) < len(s.pattern) {
		return false
	}
	for i, want := range s.pattern {
		got := code[i]
		if want.Op != wasm.OpI32Const && want.Imm == anyIndex {
			got.Imm = anyIndex
		}
		if got != want {
			return false
		}
	}
	return true
}

// surchargeOf is what the first instruction of some linked code costs beyond its own unit.
func surchargeOf(all []surcharge) func(code []wasm.Instr) int64 {
	return func(code []wasm.Instr) int64 {
		for _, s := range all {
			if s.is(code) {
				return s.units
			}
		}
		return 0
	}
}
