package guest

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	quickjs "github.com/aperturerobotics/go-quickjs-wasi-reactor"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const golden = "testdata/module.golden"

// describe is what a reviewer should see change: everything the module imports
// and exports, its sizes, and the hash of each form.
func describe(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "revision %s\n", Revision)
	for _, f := range []struct {
		name string
		form Form
	}{{"linked", Linked}, {"metered", Metered}} {
		code, err := Build(f.form)
		if err != nil {
			t.Fatal(err)
		}
		m, err := wasm.Decode(code)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n%s %x\n%d functions, table %d-%d, memory from %d pages, stack from %d\n", f.name, sha256.Sum256(code),
			len(m.Funcs), m.Tables[0].Limits.Min, m.Tables[0].Limits.Max, m.Memories[0].Min, m.Globals[0].Init[0].Imm)
		for _, im := range m.Imports {
			fmt.Fprintf(&b, "import %s.%s %x -> %x\n", im.Module, im.Name, m.Types[im.Type].Params, m.Types[im.Type].Results)
		}
		for _, e := range m.Exports {
			switch e.Kind {
			case wasm.KindFunc:
				typ, _ := m.FuncTypeOf(e.Index)
				fmt.Fprintf(&b, "export %s %x -> %x\n", e.Name, typ.Params, typ.Results)
			default:
				fmt.Fprintf(&b, "export %s, kind %d\n", e.Name, e.Kind)
			}
		}
	}
	return b.String()
}

// A new import is a new way out of the box; new bytes under an old Revision
// would meet caches that hold the old ones.
func TestTheModuleIsTheOneOnRecord(t *testing.T) {
	got := describe(t)
	data, err := os.ReadFile(golden)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want := string(data)
	if got == want {
		return
	}
	line, _, _ := strings.Cut(want, "\n")
	if line == "revision "+Revision {
		t.Errorf("Build makes other bytes than on record: change Revision, then run with -update\n%s", got)
		return
	}
	if !*update {
		t.Errorf("Build has changed: run with -update and read the difference\n%s", got)
		return
	}
	if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTheLinkerRefusesAModuleItDoesNotKnow(t *testing.T) {
	function := func(m *wasm.Module, name string) *wasm.Func {
		for index, n := range wasm.FuncNames(m) {
			if n == name {
				return &m.Funcs[int(index)-m.ImportedFuncs()]
			}
		}
		t.Fatalf("no function %s", name)
		return nil
	}
	// change alters the first instruction of a function with this operator and
	// immediate.
	change := func(m *wasm.Module, name string, op wasm.Op, from, to uint64) {
		for i, in := range function(m, name).Code {
			if in.Op == op && in.Imm == from {
				function(m, name).Code[i].Imm = to
				return
			}
		}
		t.Fatalf("%s has no %v %d", name, op, from)
	}
	for _, c := range []struct {
		name string
		edit func(m *wasm.Module)
		want string
	}{
		{"an allocator constant is another", func(m *wasm.Module) { change(m, "dlmalloc", wasm.OpI32Const, builtStackHigh, 1) }, "dlmalloc holds 174768 7 times"},
		{"a heap end is another", func(m *wasm.Module) { change(m, "dlmalloc", wasm.OpI32Const, builtHeapEnd, 1) }, "dlmalloc holds 196608 4 times"},
		{"a thread constant is another", func(m *wasm.Module) { change(m, "__wasi_init_tp", wasm.OpI32Const, builtStackHigh, 1) }, "__wasi_init_tp holds 174768 4 times"},
		{"one constant more", func(m *wasm.Module) { change(m, "dlmalloc", wasm.OpI32Const, 0, builtHeapEnd) }, "dlmalloc holds 196608 6 times"},
		{"another stack pointer", func(m *wasm.Module) { m.Globals[0].Init[0].Imm++ }, "not the stack pointer"},
		{"more memory", func(m *wasm.Module) { m.Memories[0].Min++ }, "memory is not the one"},
		{"data in the stack", func(m *wasm.Module) { m.Datas[0].Init = make([]byte, StackLow) }, "reaches into the stack"},
		{"stack limit elsewhere", func(m *wasm.Module) { change(m, "JS_SetMaxStackSize", wasm.OpI32Store, 128, 132) }, "offset 128"},
		{"time origin elsewhere", func(m *wasm.Module) { change(m, "js_perf_now", wasm.OpF64Load, 280, 272) }, "offset 280"},
		{"random state elsewhere", func(m *wasm.Module) { change(m, "js_math_random", wasm.OpI64Load, 288, 296) }, "offset 288"},
		{"two dispatches", func(m *wasm.Module) {
			f := function(m, "JS_CallInternal")
			for _, in := range f.Code {
				if in.Op == wasm.OpBrTable && in.Imm2 > dispatchTargets {
					f.Code = append([]wasm.Instr{in}, f.Code...)
					return
				}
			}
		}, "dispatches in two places"},
		{"a dispatch table elsewhere", func(m *wasm.Module) { change(m, "JS_CallInternal", wasm.OpI32Load, 74976, StackLow) }, "no static data at 109232"},
		{"a dispatch without a table", func(m *wasm.Module) {
			f := function(m, "JS_CallInternal")
			at := slices.IndexFunc(f.Code, func(in wasm.Instr) bool { return in.Op == wasm.OpBrTable && in.Imm2 > dispatchTargets })
			f.Code[at-1].Op = wasm.OpI32Sub
		}, "does not look operations up"},
		{"no dispatch", func(m *wasm.Module) { function(m, "JS_CallInternal").Code = nil }, "dispatches nowhere"},
		{"a name twice", func(m *wasm.Module) { renameFunc(m, "JS_RunGC", "dlmalloc") }, "several functions are called dlmalloc"},
		{"no names", func(m *wasm.Module) { m.Customs = nil }, "no function"},
		{"an export less", func(m *wasm.Module) { renameFunc(m, "js_new_string8_len", "js_old_string8_len") }, "no function is called js_new_string8_len"},
		{"a library function less", func(m *wasm.Module) { renameFunc(m, "js_os_exepath", "js_qs_exepath") }, "library functions in the table"},
		{"a smaller table", func(m *wasm.Module) { m.Tables[0].Limits.Min-- }, "table has changed"},
		{"an import of another module", func(m *wasm.Module) { m.Imports[3].Module = "env" }, "unexpected import env."},
		{"a start function", func(m *wasm.Module) { m.Start = new(uint32) }, "start function"},
	} {
		m, err := wasm.Decode(quickjs.QuickJSWASM)
		if err != nil {
			t.Fatal(err)
		}
		c.edit(m)
		if err := link(m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// renameFunc edits the name section in place, so both names have one length.
func renameFunc(m *wasm.Module, from, to string) {
	for i := range m.Customs {
		c := &m.Customs[i]
		if c.Name != "name" {
			continue
		}
		c.Data = []byte(strings.Replace(string(c.Data), string(rune(len(from)))+from, string(rune(len(to)))+to, 1))
	}
}
