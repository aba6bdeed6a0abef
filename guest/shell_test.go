package guest_test

import (
	"bytes"
	"testing"

	"github.com/glovebox-run/glovebox/guest"
	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

func TestTheShellIsTheModuleWithoutItsBodies(t *testing.T) {
	code, err := guest.Build(guest.Linked)
	if err != nil {
		t.Fatal(err)
	}
	shell, err := guest.Shell(code)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := wasm.Decode(code)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole.Funcs {
		whole.Funcs[i] = wasm.Func{Type: whole.Funcs[i].Type, Code: []wasm.Instr{wasm.I(wasm.OpUnreachable), wasm.I(wasm.OpEnd)}}
	}
	m, err := wasm.Decode(shell)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Customs) != 1 || m.Customs[0].Name != "sha256" {
		t.Fatalf("custom sections %v", m.Customs)
	}
	m.Customs = nil
	if !bytes.Equal(wasm.Encode(m), wasm.Encode(whole)) {
		t.Error("more than the bodies is gone")
	}
	// Another byte in a body must make another shell, or machine code would be
	// found under the name of other code.
	other := bytes.Clone(code)
	other[len(other)*3/4] ^= 1
	if another, err := guest.Shell(other); err != nil || bytes.Equal(another, shell) {
		t.Error("two modules have one shell", err)
	}
	for _, bad := range [][]byte{nil, code[:7], code[:9], code[:len(code)-1]} {
		if _, err := guest.Shell(bad); err == nil {
			t.Errorf("%d bytes of a module have a shell", len(bad))
		}
	}
}
