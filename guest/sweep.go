package guest

import (
	"fmt"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// sweep removes every function that neither an export nor the table reaches.
// The imports stay: they are the module's contract.
func (l *linker) sweep() error {
	m := l.m
	imports := uint32(m.ImportedFuncs())
	total := imports + uint32(len(m.Funcs))
	reached := make([]bool, total)
	var work []uint32
	reach := func(i uint32) {
		if i < total && !reached[i] {
			reached[i] = true
			work = append(work, i)
		}
	}
	for i := range imports {
		reach(i)
	}
	for _, e := range m.Exports {
		if e.Kind == wasm.KindFunc {
			reach(e.Index)
		}
	}
	for _, e := range m.Elems {
		for _, i := range e.Funcs {
			reach(i)
		}
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if i < imports {
			continue
		}
		for _, in := range m.Funcs[i-imports].Code {
			if in.Op == wasm.OpCall || in.Op == wasm.OpRefFunc {
				reach(uint32(in.Imm))
			}
		}
	}
	index := make([]uint32, total)
	next := uint32(0)
	kept := m.Funcs[:0]
	for i := range index {
		if !reached[i] {
			continue
		}
		index[i] = next
		next++
		if uint32(i) >= imports {
			kept = append(kept, m.Funcs[uint32(i)-imports])
		}
	}
	m.Funcs = kept
	return renumberFuncs(m, func(i uint32) (uint32, error) {
		if i >= total || !reached[i] {
			return 0, fmt.Errorf("function %d is referred to and not reached", i)
		}
		return index[i], nil
	})
}
