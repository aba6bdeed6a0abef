package meter

import "github.com/glovebox-run/glovebox/guest/internal/wasm"

// bulkChunk is how many bytes one operation moves between two checks. Compiled
// code cannot be interrupted inside an operation, and Go's collector, like
// anything else that needs it to stop, waits until its end: 64 MiB in one piece
// take 20 ms, 1 MiB takes 0.1 to 0.3 ms.
const bulkChunk = 1 << 20

// Locals of bulkFunc: the operation's operands, then a chunk's size.
const (
	bulkTo   = 0
	bulkFrom = 1 // or the value to fill with
	bulkLeft = 2
	bulkSize = 3
)

// bulkFunc does one bulk operation in chunks and charges one unit a byte before
// each: a loop of large copies would otherwise run for seconds on little fuel.
// Like the operation itself it copies backwards where the ranges overlap and the
// destination lies behind the source.
func (a *added) bulkFunc(m *wasm.Module, op wasm.Op) wasm.Func {
	get, set := func(l uint64) wasm.Instr { return wasm.I(wasm.OpLocalGet, l) }, func(l uint64) wasm.Instr { return wasm.I(wasm.OpLocalSet, l) }
	add, sub := wasm.I(wasm.OpI32Add), wasm.I(wasm.OpI32Sub)

	// size = min(left, chunk)
	code := []wasm.Instr{wasm.I(wasm.OpLoop, wasm.EmptyBlock),
		get(bulkLeft), wasm.I(wasm.OpI32Const, bulkChunk), get(bulkLeft), wasm.I(wasm.OpI32Const, bulkChunk), wasm.I(wasm.OpI32LtU), wasm.I(wasm.OpSelect), set(bulkSize)}
	for _, global := range []uint64{a.fuel, a.bulk} {
		code = append(code, wasm.I(wasm.OpGlobalGet, global), get(bulkSize), wasm.I(wasm.OpI64ExtendU), wasm.I(wasm.OpI64Add), wasm.I(wasm.OpGlobalSet, global))
	}
	code = append(code, a.inlineCheck()...)
	advance := func(l uint64) []wasm.Instr { return []wasm.Instr{get(l), get(bulkSize), add, set(l)} }
	if op == wasm.OpMemoryFill {
		code = append(code, get(bulkTo), get(bulkFrom), get(bulkSize), wasm.I(op))
		code = append(code, advance(bulkTo)...)
	} else {
		last := func(l uint64) []wasm.Instr { return []wasm.Instr{get(l), get(bulkLeft), add, get(bulkSize), sub} }
		code = append(code, get(bulkTo), get(bulkFrom), wasm.I(wasm.OpI32GtU), wasm.I(wasm.OpIf, wasm.EmptyBlock))
		code = append(append(append(code, last(bulkTo)...), last(bulkFrom)...), get(bulkSize), wasm.I(op), wasm.I(wasm.OpElse))
		code = append(code, get(bulkTo), get(bulkFrom), get(bulkSize), wasm.I(op))
		code = append(append(append(code, advance(bulkTo)...), advance(bulkFrom)...), wasm.I(wasm.OpEnd))
	}
	code = append(code, get(bulkLeft), get(bulkSize), sub, wasm.I(wasm.OpLocalTee, bulkLeft), wasm.I(wasm.OpBrIf, 0), wasm.I(wasm.OpEnd), wasm.I(wasm.OpEnd))
	return wasm.Func{
		Type:   m.TypeIndex(wasm.FuncType{Params: []wasm.ValType{wasm.I32, wasm.I32, wasm.I32}}),
		Locals: []wasm.LocalRun{{Count: 1, Type: wasm.I32}},
		Code:   code,
	}
}
