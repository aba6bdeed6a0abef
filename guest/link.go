package guest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// linker edits the module in place. Its steps run in the order of link; each step
// requires what it expects to find and names what is missing.
type linker struct {
	m      *wasm.Module
	names  map[uint32]string // function names by index, before renumbering
	byName map[string]uint32
}

func link(m *wasm.Module) error {
	l := linker{m: m, names: wasm.FuncNames(m), byName: map[string]uint32{}}
	for index, name := range l.names {
		if _, twice := l.byName[name]; twice {
			index = ambiguous
		}
		l.byName[name] = index
	}
	for _, step := range []struct {
		name string
		run  func() error
	}{
		{"exports", l.exports},
		{"dispatch", l.dispatch},
		{"offsets", l.checkOffsets},
		{"stack", l.moveHeap},
		{"statements", l.countStatements},
		{"compiled code", l.enterCompiled},
		{"positions", l.recordPositions},
		{"unicode sets", l.readUnicodeSets},
		{"table", l.dropLibrary},
		{"imports", l.replaceImports},
	} {
		if err := step.run(); err != nil {
			return fmt.Errorf("link %s: %w", step.name, err)
		}
	}
	if err := l.sweep(); err != nil {
		return fmt.Errorf("link sweep: %w", err)
	}
	l.trim()
	return checkSurcharges(m)
}

// ambiguous marks a name of several functions: static functions of two C files may
// share one.
const ambiguous = ^uint32(0)

// fn finds the one function with a body that has the given name.
func (l *linker) fn(name string) (*wasm.Func, error) {
	index, ok := l.byName[name]
	if !ok {
		return nil, fmt.Errorf("no function %s", name)
	}
	if index == ambiguous {
		return nil, fmt.Errorf("several functions are called %s", name)
	}
	i := int(index) - l.m.ImportedFuncs()
	if i < 0 || i >= len(l.m.Funcs) {
		return nil, fmt.Errorf("%s has no body", name)
	}
	return &l.m.Funcs[i], nil
}

// exports keeps the memory and those of Exports, and adds the stack pointer and
// functions that the build does not export.
func (l *linker) exports() error {
	var kept []wasm.Export
	for _, name := range append([]string{Memory}, Exports()...) {
		i := slices.IndexFunc(l.m.Exports, func(e wasm.Export) bool { return e.Name == name })
		if i >= 0 {
			kept = append(kept, l.m.Exports[i])
			continue
		}
		index, ok := l.byName[name]
		if !ok || index == ambiguous {
			return fmt.Errorf("no function is called %s", name)
		}
		kept = append(kept, wasm.Export{Name: name, Kind: wasm.KindFunc, Index: index})
	}
	l.m.Exports = append(kept, wasm.Export{Name: GlobalStack, Kind: wasm.KindGlobal, Index: 0})
	return nil
}

// librarySlots are the table entries of quickjs-libc: files, processes, timers and
// printing, which the guest must not reach. Together they keep most of the C
// library alive.
var librarySlots = []string{"js_std_", "js_os_", "js_bjson_", "js_worker", "js_print"}

// libraryFuncs are its entries without such a prefix, and those of stdio.
var libraryFuncs = []string{
	"js_load_file", "js_evalScript", "js_loadScript", "js_module_loader", "js_module_check_attributes", "default_module_init",
	"JS_NewCustomContext", "os_signal_handler", "interrupt_handler",
	"__stdio_seek", "__stdio_write", "__stdio_read", "__stdio_close", "__stdout_write",
}

// dropLibrary points the library's table entries at a function that traps, and
// adds an entry for host.call. replaceImports fills both in.
func (l *linker) dropLibrary() error {
	if len(l.m.Tables) != 1 || len(l.m.Elems) != 1 {
		return fmt.Errorf("%d tables and %d element segments, want one of each", len(l.m.Tables), len(l.m.Elems))
	}
	seg, limits := &l.m.Elems[0], &l.m.Tables[0].Limits
	if first := seg.Offset[0]; first != wasm.I(wasm.OpI32Const, 1) || len(seg.Funcs) != HostCallElement-1 || limits.Min != HostCallElement || limits.Max != HostCallElement {
		return fmt.Errorf("the table has changed: %d elements from %d, limits %v", len(seg.Funcs), first.Imm, *limits)
	}
	dropped := 0
	for i, index := range seg.Funcs {
		name := l.names[index]
		if slices.Contains(libraryFuncs, name) || slices.ContainsFunc(librarySlots, func(p string) bool { return strings.HasPrefix(name, p) }) {
			seg.Funcs[i] = trapFunc
			dropped++
		}
	}
	if want := 73; dropped != want {
		return fmt.Errorf("%d library functions in the table, want %d", dropped, want)
	}
	seg.Funcs = append(seg.Funcs, hostCallFunc)
	limits.Min, limits.Max = HostCallElement+2, HostCallElement+2
	return nil
}

// Placeholders for functions whose index is known only after renumbering.
const (
	trapFunc     = ambiguous - 1
	hostCallFunc = ambiguous - 2
)

// trim removes what is not needed at run time: names, debugging information and
// the padding of the original linker, a tenth of the code.
func (l *linker) trim() {
	l.m.Customs = nil
	for i := range l.m.Funcs {
		code := l.m.Funcs[i].Code
		for k := range code {
			code[k].Widths = 0
		}
	}
}
