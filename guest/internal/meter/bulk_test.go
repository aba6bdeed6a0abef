package meter

import (
	"bytes"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// bulkModule exports copy and fill, which do the metered operations, and memory.
func bulkModule(t *testing.T) []byte {
	t.Helper()
	m := &wasm.Module{Memories: []wasm.Limits{{Min: 80}}}
	refuel := m.TypeIndex(wasm.FuncType{Params: []wasm.ValType{wasm.I64}, Results: []wasm.ValType{wasm.I64}})
	m.Imports = []wasm.Import{{Module: names.Module, Name: names.Refuel, Kind: wasm.KindFunc, Type: refuel}}
	kind := m.TypeIndex(wasm.FuncType{Params: []wasm.ValType{wasm.I32, wasm.I32, wasm.I32}})
	for i, op := range []wasm.Op{wasm.OpMemoryCopy, wasm.OpMemoryFill} {
		m.Funcs = append(m.Funcs, wasm.Func{Type: kind, Code: []wasm.Instr{
			wasm.I(wasm.OpLocalGet, 0), wasm.I(wasm.OpLocalGet, 1), wasm.I(wasm.OpLocalGet, 2), wasm.I(op), wasm.I(wasm.OpEnd),
		}})
		m.Exports = append(m.Exports, wasm.Export{Name: []string{"copy", "fill"}[i], Kind: wasm.KindFunc, Index: uint32(i + 1)})
	}
	m.Exports = append(m.Exports, wasm.Export{Name: "memory", Kind: wasm.KindMemory, Index: 0})
	apply(t, m)
	return wasm.Encode(m)
}

func TestBulkOperationsInChunksDoTheSame(t *testing.T) {
	ctx := t.Context()
	rt := wazero.NewRuntime(ctx)
	defer rt.Close(ctx)
	refuels := 0
	if _, err := rt.NewHostModuleBuilder(names.Module).NewFunctionBuilder().WithFunc(func(fuel int64) int64 {
		refuels++
		return fuel - bulkChunk
	}).Export(names.Refuel).Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	mod, err := rt.Instantiate(ctx, bulkModule(t))
	if err != nil {
		t.Fatal(err)
	}
	memory := mod.Memory()
	const size = 80 << 16
	want := make([]byte, size)
	for i := range want {
		want[i] = byte(i*7 + i>>11)
	}
	memory.Write(0, want)
	for _, c := range []struct {
		op          string
		to, from, n uint64
		outOfBounds bool
	}{
		{op: "copy", to: 0, from: 100, n: 3*bulkChunk + 17},
		{op: "copy", to: 100, from: 0, n: 3*bulkChunk + 17},
		{op: "copy", to: 5, from: 5, n: 2 * bulkChunk},
		{op: "copy", to: 2 * bulkChunk, from: 7, n: bulkChunk},
		{op: "copy", to: bulkChunk + 3, from: 0, n: 2*bulkChunk + 1},
		{op: "copy", to: 0, from: bulkChunk + 3, n: 2*bulkChunk + 1},
		{op: "copy", to: size, from: 0, n: 0},
		{op: "fill", to: 11, from: 0xab, n: 3*bulkChunk + 5},
		{op: "fill", to: size - 1, from: 1, n: 1},
		{op: "fill", to: size, from: 1, n: 0},
		{op: "fill", to: size + 1, from: 1, n: 0, outOfBounds: true},
		{op: "fill", to: size - bulkChunk, from: 1, n: bulkChunk + 1, outOfBounds: true},
		{op: "copy", to: 0, from: 0xffff0000, n: 2 * bulkChunk, outOfBounds: true},
		{op: "copy", to: 0xffff0000, from: 0, n: 2 * bulkChunk, outOfBounds: true},
	} {
		refuels = 0
		_, err := mod.ExportedFunction(c.op).Call(ctx, c.to, c.from, c.n)
		if (err != nil) != c.outOfBounds {
			t.Fatalf("%+v: %v", c, err)
		}
		if c.outOfBounds {
			memory.Write(0, want) // what a trap leaves behind is nobody's
			continue
		}
		if c.op == "copy" {
			copy(want[c.to:], want[c.from:c.from+c.n])
		} else {
			copy(want[c.to:], bytes.Repeat([]byte{byte(c.from)}, int(c.n)))
		}
		got, _ := memory.Read(0, size)
		if !bytes.Equal(got, want) {
			t.Fatalf("%+v: memory differs", c)
		}
		if chunks := int(c.n / bulkChunk); refuels < chunks {
			t.Errorf("%+v: the clock was looked at %d times", c, refuels)
		}
	}
}
