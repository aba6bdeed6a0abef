package wasm_test

import (
	"bytes"
	"testing"

	quickjs "github.com/aperturerobotics/go-quickjs-wasi-reactor"

	"github.com/glovebox-run/glovebox/guest/wasm"
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

func BenchmarkDecode(b *testing.B) {
	for b.Loop() {
		m, _ := wasm.Decode(quickjs.QuickJSWASM)
		_ = m
	}
}
func BenchmarkEncode(b *testing.B) {
	m, _ := wasm.Decode(quickjs.QuickJSWASM)
	for b.Loop() {
		wasm.Encode(m)
	}
}
