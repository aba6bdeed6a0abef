package special

import (
	"math/bits"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// set is a set of locals; the interpreter has some sixty.
type set [2]uint64

func (s *set) add(i uint64)     { s[i/64] |= 1 << (i % 64) }
func (s *set) remove(i uint64)  { s[i/64] &^= 1 << (i % 64) }
func (s set) has(i uint64) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s set) union(o set) set   { return set{s[0] | o[0], s[1] | o[1]} }
func (s set) list() (list []int) {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			list = append(list, 64*w+bits.TrailingZeros64(word))
		}
	}
	return list
}

// liveness is, by instruction, which locals are read before they are written.
func liveness(code []wasm.Instr, next [][]int) []set {
	live := make([]set, len(code)+1)
	for changed := true; changed; {
		changed = false
		for i := len(code) - 1; i >= 0; i-- {
			var s set
			falls := true
			switch code[i].Op {
			case wasm.OpBr, wasm.OpElse:
				s, falls = live[next[i][0]], false
			case wasm.OpBrIf, wasm.OpIf:
				s = live[next[i][0]]
			case wasm.OpBrTable:
				for _, n := range next[i] {
					s = s.union(live[n])
				}
				falls = false
			case wasm.OpReturn, wasm.OpUnreachable:
				falls = false
			}
			if falls {
				s = s.union(live[i+1])
			}
			switch code[i].Op {
			case wasm.OpLocalGet:
				s.add(code[i].Imm)
			case wasm.OpLocalSet, wasm.OpLocalTee:
				s.remove(code[i].Imm)
			}
			if s != live[i] {
				live[i], changed = s, true
			}
		}
	}
	return live
}

// Live are the locals that the code of f from instruction at on expects, and the types of
// all locals.
func Live(m *wasm.Module, f *wasm.Func, at int) ([]int, []wasm.ValType) {
	return liveness(f.Code, branches(f))[at].list(), localTypes(m, f)
}
