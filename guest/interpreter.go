package guest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// opcodes is how many bytecode operations a byte can name.
const opcodes = 256

// jumpByOpcode makes the jump at instruction at of f choose by the bytecode
// operation itself, and returns where the jump is then. The interpreter, compiled
// from C with computed jumps, looks each operation up in a table of numbers in
// static data and jumps by the number:
//
//	(operation) i32.const 2, i32.shl, i32.load table, i32.const -2, i32.add, br_table
//
// The table never changes, so what it says is put into the br_table.
func jumpByOpcode(m *wasm.Module, f *wasm.Func, at int) (int, error) {
	const steps = 5 // instructions between the operation and the jump
	if at < steps {
		return 0, errors.New("nothing stands before the dispatch")
	}
	from := at - steps
	var ops []wasm.Op
	for _, in := range f.Code[from:at] {
		ops = append(ops, in.Op)
	}
	shift, load, add := f.Code[from], f.Code[from+2], f.Code[from+3]
	if !slices.Equal(ops, []wasm.Op{wasm.OpI32Const, wasm.OpI32Shl, wasm.OpI32Load, wasm.OpI32Const, wasm.OpI32Add}) || shift.Imm != 2 {
		return 0, errors.New("the dispatch does not look operations up in a table")
	}
	numbers, err := staticData(m, load.Imm, 4*opcodes)
	if err != nil {
		return 0, err
	}
	jump := f.Code[at]
	targets := f.Targets(jump)
	last := len(targets) - 1 // the default
	jump.Imm, jump.Imm2 = uint64(len(f.Labels)), opcodes+1
	for i := range opcodes {
		number := binary.LittleEndian.Uint32(numbers[4*i:]) + uint32(add.Imm)
		f.Labels = append(f.Labels, targets[min(int64(number), int64(last))])
	}
	f.Labels = append(f.Labels, targets[last])
	f.Code[from] = jump
	f.Code = slices.Delete(f.Code, from+1, at+1)
	return from, nil
}

// staticData returns size bytes of the module's data.
func staticData(m *wasm.Module, address uint64, size int) ([]byte, error) {
	for _, d := range m.Datas {
		if d.Mode != wasm.Active || d.Offset[0].Op != wasm.OpI32Const || address < d.Offset[0].Imm {
			continue
		}
		if from := address - d.Offset[0].Imm; from+uint64(size) <= uint64(len(d.Init)) {
			return d.Init[from:][:size], nil
		}
	}
	return nil, fmt.Errorf("no static data at %d", address)
}
