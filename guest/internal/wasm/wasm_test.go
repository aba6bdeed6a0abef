package wasm_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	quickjs "github.com/aperturerobotics/go-quickjs-wasi-reactor"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

func TestTheGuestEncodesToTheSameBytes(t *testing.T) {
	m, err := wasm.Decode(quickjs.QuickJSWASM)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(wasm.Encode(m), quickjs.QuickJSWASM) {
		t.Error("decoding and encoding changed the module")
	}
}

// everything is a module with one of each thing the format has.
func everything() *wasm.Module {
	end := wasm.I(wasm.OpEnd)
	at := func(n uint64) []wasm.Instr { return []wasm.Instr{wasm.I(wasm.OpI32Const, n), end} }
	one := uint32(1)
	two := func(op wasm.Op, imm uint64, imm2 uint32) wasm.Instr {
		return wasm.Instr{Op: op, Imm: imm, Imm2: imm2}
	}
	return &wasm.Module{
		Types: []wasm.FuncType{{}, {Params: []wasm.ValType{wasm.I32, wasm.F64}, Results: []wasm.ValType{wasm.I64}}},
		Imports: []wasm.Import{
			{Module: "m", Name: "f", Kind: wasm.KindFunc, Type: 1},
			{Module: "m", Name: "t", Kind: wasm.KindTable, Table: wasm.TableType{Elem: wasm.ExternRef, Limits: wasm.Limits{Min: 1, Max: 2, HasMax: true}}},
			{Module: "m", Name: "mem", Kind: wasm.KindMemory, Memory: wasm.Limits{Min: 1}},
			{Module: "m", Name: "g", Kind: wasm.KindGlobal, Global: wasm.GlobalType{Type: wasm.F32}},
		},
		Funcs: []wasm.Func{
			{Type: 0, Code: []wasm.Instr{end}},
			{Type: 1, Locals: []wasm.LocalRun{{Count: 3, Type: wasm.I32}, {Count: 1, Type: wasm.FuncRef}}, Labels: []uint32{0, 1, 2, 0}, Code: []wasm.Instr{
				wasm.I(wasm.OpBlock, wasm.EmptyBlock), wasm.I(wasm.OpLoop, wasm.TypeBlock), wasm.I(wasm.OpI32Const, ^uint64(0)),
				wasm.I(wasm.OpIf, uint64(wasm.I64)), wasm.I(wasm.OpElse), end,
				wasm.I(wasm.OpBrIf, 1), two(wasm.OpBrTable, 0, 4), end, end,
				wasm.I(wasm.OpI64Const, 1<<63), wasm.I(wasm.OpF32Const, 0x7fc00001), wasm.I(wasm.OpF64Const, 0x7ff8000000000001),
				{Op: wasm.OpCall, Imm: 1, Widths: 5}, two(wasm.OpCallIndirect, 1, 0), wasm.I(wasm.OpSelectType, uint64(wasm.F32)),
				{Op: wasm.OpI64Load, Imm: 16, Imm2: 3, Widths: 5}, two(wasm.OpMemoryInit, 1, 0), two(wasm.OpMemoryCopy, 0, 0), wasm.I(wasm.OpMemoryFill, 0),
				wasm.I(wasm.OpRefNull, uint64(wasm.ExternRef)), wasm.I(wasm.OpTableFill, 1), wasm.I(0xfc07), wasm.I(wasm.OpI64Extend32S), end,
			}},
		},
		Tables:   []wasm.TableType{{Elem: wasm.FuncRef, Limits: wasm.Limits{Min: 3}}},
		Memories: []wasm.Limits{{Min: 1, Max: 65536, HasMax: true}},
		Globals:  []wasm.Global{wasm.Counter()},
		Exports:  []wasm.Export{{Name: "é", Kind: wasm.KindGlobal, Index: 1}},
		Start:    &one,
		Elems: []wasm.Elem{
			{Type: wasm.FuncRef, Offset: at(1), Funcs: []uint32{1, 2}},
			{Type: wasm.FuncRef, Table: 1, Offset: at(0), Funcs: []uint32{1}},
			{Type: wasm.FuncRef, Mode: wasm.Passive, Funcs: []uint32{2}},
			{Type: wasm.ExternRef, Mode: wasm.Declared, Exprs: [][]wasm.Instr{{wasm.I(wasm.OpRefNull, uint64(wasm.ExternRef)), end}}},
			{Type: wasm.FuncRef, Offset: at(2), Exprs: [][]wasm.Instr{{wasm.I(wasm.OpRefFunc, 1), end}}},
		},
		Datas:     []wasm.Data{{Offset: at(8), Init: []byte("data")}, {Mode: wasm.Passive, Init: []byte{0}}},
		DataCount: ptr(2),
		Customs:   []wasm.Custom{{Name: "name", Data: []byte{1, 4, 1, 2, 1, 'f'}}},
	}
}

func ptr(n uint32) *uint32 { return &n }

func TestEveryFormComesBack(t *testing.T) {
	want := everything()
	got, err := wasm.Decode(wasm.Encode(want))
	if err != nil {
		t.Fatal(err)
	}
	// The decoder fills in what the struct literal leaves out.
	want.Funcs[0].Code = got.Funcs[0].Code
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if names := wasm.FuncNames(got); names[2] != "f" {
		t.Errorf("names %v", names)
	}
}

func TestHostileModulesAreRefused(t *testing.T) {
	const magic = "\x00asm\x01\x00\x00\x00"
	function := func(body string) string { // one function without parameters
		code := "\x00" + body
		return magic + "\x01\x04\x01\x60\x00\x00" + "\x03\x02\x01\x00" + "\x0a" + string(rune(len(code)+2)) + "\x01" + string(rune(len(code))) + code
	}
	for _, c := range []struct{ name, data, want string }{
		{"empty", "", "not a WebAssembly"},
		{"text", "(module)", "not a WebAssembly"},
		{"component", "\x00asm\x0d\x00\x01\x00", "not a WebAssembly"},
		{"section longer than the file", magic + "\x01\xff\xff\xff\xff\x0f", "unexpected end"},
		{"a count nothing backs", magic + "\x01\x05\xff\xff\xff\xff\x0f", "count larger"},
		{"a number of six bytes", magic + "\x01\x06\x80\x80\x80\x80\x80\x00", "integer too long"},
		{"a number over 32 bits", magic + "\x01\x05\xff\xff\xff\xff\x1f", "integer too long"},
		{"sections out of order", magic + "\x03\x01\x00\x01\x01\x00", "out of order"},
		{"a section twice", magic + "\x01\x01\x00\x01\x01\x00", "repeated"},
		{"an unknown section", magic + "\x0d\x01\x00", "unknown"},
		{"bytes after a section's end", magic + "\x01\x02\x00\x00", "bytes after"},
		{"a name that is not UTF-8", magic + "\x00\x02\x01\xff", "UTF-8"},
		{"functions without bodies", magic + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00", "1 functions but 0 bodies"},
		{"a type that is not there", magic + "\x03\x02\x01\x00", "no type 0"},
		{"no end", function("\x01"), "unexpected end"},
		{"else without if", function("\x02\x40\x05\x0b\x0b"), "do not nest"},
		{"a second else", function("\x04\x40\x05\x05\x0b\x0b"), "do not nest"},
		{"a label outside", function("\x0c\x01\x0b"), "label outside"},
		{"a br_table label outside", function("\x0e\x01\x00\x07\x0b"), "label outside"},
		{"code after the end", function("\x0b\x01"), "bytes after"},
		{"an unknown operator", function("\xfb\x0b"), "unknown operator 0xfb"},
		{"vector code", function("\xfd\x0c\x0b"), "unknown operator 0xfd"},
		{"an unknown block type", function("\x02\x7b\x0b\x0b"), "block type"},
		{"a constant over 32 bits", function("\x41\x80\x80\x80\x80\x08\x0b"), "integer too long"},
		{"too many locals", magic + "\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x0a\x0a\x01\x08\x01\xff\xff\xff\xff\x0f\x7f\x0b", "too many locals"},
		{"code in an initialiser", magic + "\x06\x05\x01\x7f\x00\x45\x0b", "constant expression"},
	} {
		if _, err := wasm.Decode([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// What decodes encodes, to bytes that decode to the same and encode to the same.
func FuzzDecode(f *testing.F) {
	whole := wasm.Encode(everything())
	f.Add(whole)
	for cut := len(whole) - 1; cut > 8; cut -= 16 {
		f.Add(whole[:cut])
	}
	f.Add([]byte("\x00asm\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := wasm.Decode(data)
		if err != nil {
			return
		}
		encoded := wasm.Encode(m)
		again, err := wasm.Decode(encoded)
		if err != nil {
			t.Fatalf("does not decode again: %v", err)
		}
		if !reflect.DeepEqual(m, again) {
			t.Fatalf("decodes to something else: %+v\n%+v", m, again)
		}
		if !bytes.Equal(wasm.Encode(again), encoded) {
			t.Fatal("encodes to something else")
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	b.SetBytes(int64(len(quickjs.QuickJSWASM)))
	for b.Loop() {
		if _, err := wasm.Decode(quickjs.QuickJSWASM); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	m, err := wasm.Decode(quickjs.QuickJSWASM)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		wasm.Encode(m)
	}
}
