package special

import (
	"errors"
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// ways sums up what the interpreter charges on the ways to compiled code and from it.
// Compiled code takes it back, for without it none of this would have happened.
func (t *Interpreter) ways() (err error) {
	sum := func(from, to int, operation int, branches ...bool) cost {
		c, e := t.way(from, to, operation, branches)
		err = errors.Join(err, e)
		return c
	}
	t.entry = sum(t.head+1, t.enter, OpEnter, false)
	t.leave = sum(t.enter+1, t.head, 0, false)
	for i := t.enter; ; i++ {
		if t.code[i].Op == wasm.OpBrIf {
			t.thrown = t.next[i][0]
			break
		}
	}
	t.throw = sum(t.enter+1, t.thrown, 0, true)
	for _, local := range t.live[t.thrown].list() {
		if !slices.Contains(t.shared, local) {
			return fmt.Errorf("exceptions expect local %d", local)
		}
	}
	return err
}

// longestWay is a number of instructions.
const longestWay = 500

// way follows the code from one instruction to another. taken says which conditional
// branches are; an if never is.
func (t *Interpreter) way(from, to, operation int, taken []bool) (c cost, err error) {
	i := from
	for range longestWay {
		if i == to {
			return c, nil
		}
		if i == t.check {
			i = t.checked
			continue
		}
		in := t.code[i]
		switch in.Op {
		case wasm.OpGlobalGet:
			if t.code[i+1].Op != wasm.OpI64Const {
				break
			}
			n := int64(t.code[i+1].Imm)
			if t.code[i+2].Op == wasm.OpI64Sub {
				n = -n
			}
			switch in.Imm {
			case t.fuel:
				c.fuel += n
			case t.statements:
				c.statements += n
			}
		case wasm.OpBr, wasm.OpIf:
			i = t.next[i][0]
			continue
		case wasm.OpBrIf:
			if len(taken) == 0 {
				return c, errors.New("a branch too many on the way to compiled code")
			}
			if taken[0] {
				i = t.next[i][0] - 1
			}
			taken = taken[1:]
		case wasm.OpBrTable:
			i = t.next[i][operation]
			continue
		}
		i++
	}
	return c, errors.New("the way to compiled code does not end")
}
