package meter

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

var names = Names{Module: "host", Refuel: "refuel", Fuel: "fuel", Bulk: "bulk"}

var errNoFuel = errors.New("out of fuel")

// result is how a run of the exported function "main" ended.
type result struct {
	value      uint64
	fuel, bulk int64
	err        error
}

// execute runs main in wazero's interpreter, which takes no time to compile.
func execute(t testing.TB, m *wasm.Module, limit, slice int64) result {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	granted := int64(0)
	_, err := r.NewHostModuleBuilder("host").NewFunctionBuilder().WithFunc(func(cur int64) int64 {
		if granted == limit {
			panic(errNoFuel)
		}
		x := min(slice, limit-granted)
		granted += x
		return cur - x
	}).Export("refuel").Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := r.Instantiate(ctx, wasm.Encode(m))
	if err != nil {
		t.Fatalf("not a valid module: %v", err)
	}
	values, err := mod.ExportedFunction("main").Call(ctx)
	res := result{err: err}
	if len(values) > 0 {
		res.value = values[0]
	}
	res.fuel = granted + int64(mod.ExportedGlobal("fuel").(api.MutableGlobal).Get())
	res.bulk = int64(mod.ExportedGlobal("bulk").(api.MutableGlobal).Get())
	return res
}

// applyPlainly is the obvious way to meter: each operator pays for itself, right
// before it runs, and every loop and function checks.
func applyPlainly(t testing.TB, m *wasm.Module) {
	t.Helper()
	imported, _ := importedFunc(m, names.Module, names.Refuel)
	globals, funcs := uint64(len(m.Globals)), uint64(m.ImportedFuncs()+len(m.Funcs))
	a := added{fuel: globals, bulk: globals + 1, refuel: funcs, copy: funcs + 1, fill: funcs + 2}
	for i := range m.Funcs {
		r := rewriter{added: &a}
		r.charge(entryCost)
		r.emit(a.inlineCheck()...)
		for _, in := range m.Funcs[i].Code {
			r.charge(Cost(in.Op))
			switch in.Op {
			case wasm.OpMemoryCopy:
				in = wasm.I(wasm.OpCall, a.copy)
			case wasm.OpMemoryFill:
				in = wasm.I(wasm.OpCall, a.fill)
			}
			r.emit(in)
			if in.Op == wasm.OpLoop {
				r.emit(a.inlineCheck()...)
			}
		}
		m.Funcs[i].Code = r.out
	}
	m.Globals = append(m.Globals, wasm.Counter(), wasm.Counter())
	m.Exports = append(m.Exports, wasm.Export{Name: "fuel", Kind: wasm.KindGlobal, Index: uint32(a.fuel)}, wasm.Export{Name: "bulk", Kind: wasm.KindGlobal, Index: uint32(a.bulk)})
	m.Funcs = append(m.Funcs, a.refuelFunc(m, imported), a.bulkFunc(m, wasm.OpMemoryCopy), a.bulkFunc(m, wasm.OpMemoryFill))
}

func apply(t testing.TB, m *wasm.Module) {
	t.Helper()
	if err := Apply(m, names, nil); err != nil {
		t.Fatal(err)
	}
}

// checkAgainstPlain meters a generated module both ways. Runs that end must
// agree to the unit; with too little fuel both must stop, and stop at the same
// fuel whatever the slice.
func checkAgainstPlain(t *testing.T, seed uint64) {
	t.Helper()
	plain, ours := randomModule(seed), randomModule(seed)
	applyPlainly(t, plain)
	apply(t, ours)
	const plenty = 1 << 40
	want := execute(t, plain, plenty, plenty)
	for _, slice := range []int64{plenty, 50} {
		got := execute(t, ours, plenty, slice)
		if (want.err == nil) != (got.err == nil) || want.err == nil && got != want {
			t.Fatalf("module %d: %+v, each operator for itself %+v", seed, got, want)
		}
	}
	if want.err != nil || want.fuel < 2000 {
		return
	}
	limit := want.fuel / 2
	first := execute(t, ours, limit, plenty)
	for _, slice := range []int64{1 + limit/3, 50, 1} {
		if again := execute(t, ours, limit, slice); again.fuel != first.fuel || (again.err == nil) != (first.err == nil) {
			t.Fatalf("module %d: fuel %d (%v) with slices of %d, %d (%v) without", seed, again.fuel, again.err, slice, first.fuel, first.err)
		}
	}
	if first.err == nil && first.fuel > 4*limit {
		t.Fatalf("module %d: used %d of %d unchecked", seed, first.fuel, limit)
	}
}

func TestFuelIsExactOnGeneratedModules(t *testing.T) {
	for seed := range uint64(200) {
		checkAgainstPlain(t, seed)
	}
}

func FuzzFuelIsExact(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkAgainstPlain)
}

// Endless programs in every form a check could be missing in.
func TestEndlessProgramsStop(t *testing.T) {
	const i32 = wasm.I32
	void, empty := wasm.FuncType{}, uint64(wasm.EmptyBlock)
	typed := wasm.FuncType{Params: []wasm.ValType{i32}, Results: []wasm.ValType{i32}}
	result := wasm.FuncType{Results: []wasm.ValType{i32}}
	i := wasm.I
	end := i(wasm.OpEnd)
	call := i(wasm.OpCall, 1) // main itself: function 0 is refuel
	for name, code := range map[string][]wasm.Instr{
		"loop":                   {i(wasm.OpLoop, empty), i(wasm.OpBr, 0), end, end},
		"conditional":            {i(wasm.OpLoop, empty), i(wasm.OpI32Const, 1), i(wasm.OpBrIf, 0), end, end},
		"table":                  {i(wasm.OpLoop, empty), i(wasm.OpI32Const, 0), {Op: wasm.OpBrTable, Imm: 0, Imm2: 2}, end, end},
		"nested":                 {i(wasm.OpLoop, empty), i(wasm.OpLoop, empty), i(wasm.OpBr, 1), end, end, end},
		"inner loop runs once":   {i(wasm.OpLoop, empty), i(wasm.OpLoop, empty), end, i(wasm.OpBr, 0), end, end},
		"inner loop on one side": {i(wasm.OpLoop, empty), i(wasm.OpI32Const, 0), i(wasm.OpIf, empty), i(wasm.OpLoop, empty), i(wasm.OpBr, 0), end, end, i(wasm.OpBr, 0), end, end},
		"call on one side":       {i(wasm.OpLoop, empty), i(wasm.OpI32Const, 0), i(wasm.OpIf, empty), call, end, i(wasm.OpBr, 0), end, end},
		"from an else":           {i(wasm.OpLoop, empty), i(wasm.OpI32Const, 0), i(wasm.OpIf, empty), call, i(wasm.OpElse), i(wasm.OpBr, 1), end, end, end},
		"from a then":            {i(wasm.OpLoop, empty), i(wasm.OpI32Const, 1), i(wasm.OpIf, empty), i(wasm.OpElse), call, end, i(wasm.OpBr, 0), end, end},
		"with parameters":        {i(wasm.OpI32Const, 1), i(wasm.OpLoop, wasm.TypeBlock+1), i(wasm.OpBr, 0), end, i(wasm.OpDrop), end},
		"with a result":          {i(wasm.OpLoop, wasm.TypeBlock+2), i(wasm.OpBr, 0), end, i(wasm.OpDrop), end},
		"recursion":              {call, end},
		"recursion from a loop":  {i(wasm.OpLoop, empty), call, i(wasm.OpBr, 0), end, end},
		"indirect recursion":     {i(wasm.OpI32Const, 0), {Op: wasm.OpCallIndirect, Imm: 0}, end},
		"calls of calls":         {i(wasm.OpLoop, empty), i(wasm.OpCall, 2), i(wasm.OpCall, 2), i(wasm.OpBr, 0), end, end},
		"bulk":                   {i(wasm.OpLoop, empty), i(wasm.OpI32Const, 0), i(wasm.OpI32Const, 0), i(wasm.OpI32Const, 60000), i(wasm.OpMemoryFill), i(wasm.OpBr, 0), end, end},
	} {
		m := &wasm.Module{
			Types:    []wasm.FuncType{void, typed, result, {Params: []wasm.ValType{wasm.I64}, Results: []wasm.ValType{wasm.I64}}},
			Imports:  []wasm.Import{{Module: "host", Name: "refuel", Kind: wasm.KindFunc, Type: 3}},
			Funcs:    []wasm.Func{{Type: 0, Code: code, Labels: []uint32{0, 0}}, {Type: 0, Code: []wasm.Instr{end}}},
			Tables:   []wasm.TableType{{Elem: wasm.FuncRef, Limits: wasm.Limits{Min: 1}}},
			Memories: []wasm.Limits{{Min: 1}},
			Elems:    []wasm.Elem{{Type: wasm.FuncRef, Offset: []wasm.Instr{i(wasm.OpI32Const, 0), end}, Funcs: []uint32{1}}},
			Exports:  []wasm.Export{{Name: "main", Kind: wasm.KindFunc, Index: 1}},
		}
		apply(t, m)
		const limit = 1000 // well below the depth at which recursion ends by itself
		got := execute(t, m, limit, 100)
		if !errors.Is(got.err, errNoFuel) {
			t.Errorf("%s: %v", name, got.err)
		}
		if got.fuel-got.bulk > limit+100 {
			t.Errorf("%s: stopped at fuel %d", name, got.fuel)
		}
	}
}

func TestModulesWithoutRefuelAreRefused(t *testing.T) {
	if err := Apply(&wasm.Module{}, names, nil); err == nil {
		t.Error("metered a module that cannot ask for fuel")
	}
}

// randomModule has a few functions that call each other, with every kind of
// control flow. It ends: a counter that every function and loop takes from makes
// them return.
func randomModule(seed uint64) *wasm.Module {
	i32, i64 := wasm.I32, wasm.I64
	m := &wasm.Module{
		Types: []wasm.FuncType{
			{Params: []wasm.ValType{i64}, Results: []wasm.ValType{i64}},
			{Params: []wasm.ValType{i32, i32}, Results: []wasm.ValType{i32}},
			{Results: []wasm.ValType{i32}},
			{Params: []wasm.ValType{i32}, Results: []wasm.ValType{i32}},
		},
		Imports:  []wasm.Import{{Module: "host", Name: "refuel", Kind: wasm.KindFunc, Type: 0}},
		Tables:   []wasm.TableType{{Elem: wasm.FuncRef, Limits: wasm.Limits{Min: 4}}},
		Memories: []wasm.Limits{{Min: 1}},
		Globals: []wasm.Global{{Type: wasm.GlobalType{Type: i32, Mutable: true},
			Init: []wasm.Instr{wasm.I(wasm.OpI32Const, 300), wasm.I(wasm.OpEnd)}}},
		Exports: []wasm.Export{{Name: "main", Kind: wasm.KindFunc, Index: 1}},
		Elems:   []wasm.Elem{{Type: wasm.FuncRef, Offset: []wasm.Instr{wasm.I(wasm.OpI32Const, 0), wasm.I(wasm.OpEnd)}, Funcs: []uint32{2, 3, 4, 3}}},
	}
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range 5 {
		g := moduleWriter{Rand: random, funcs: 5}
		g.function(i == 0)
		m.Funcs = append(m.Funcs, g.f)
	}
	return m
}

// moduleWriter writes one function: (i32, i32) -> i32, or () -> i32 for main,
// with locals 0-3 of i32 either way.
type moduleWriter struct {
	*rand.Rand
	f      wasm.Func
	funcs  int
	blocks []bool // open blocks: whether a branch to it takes no value
}

func (g *moduleWriter) add(ins ...wasm.Instr) { g.f.Code = append(g.f.Code, ins...) }

func (g *moduleWriter) function(main bool) {
	g.f = wasm.Func{Type: 1, Locals: []wasm.LocalRun{{Count: 2, Type: wasm.I32}}}
	if main {
		g.f = wasm.Func{Type: 2, Locals: []wasm.LocalRun{{Count: 4, Type: wasm.I32}}}
	}
	g.blocks = []bool{false}
	g.spend()
	for range 2 + g.IntN(5) {
		g.statement(4)
	}
	g.value(2)
	g.add(wasm.I(wasm.OpEnd))
}

// spend returns when the module's counter is used up, else takes one from it.
func (g *moduleWriter) spend() {
	g.add(wasm.I(wasm.OpGlobalGet, 0), wasm.I(wasm.OpI32Eqz), wasm.I(wasm.OpIf, wasm.EmptyBlock),
		wasm.I(wasm.OpI32Const, 9), wasm.I(wasm.OpReturn), wasm.I(wasm.OpEnd),
		wasm.I(wasm.OpGlobalGet, 0), wasm.I(wasm.OpI32Const, 1), wasm.I(0x6b), wasm.I(wasm.OpGlobalSet, 0))
}

func (g *moduleWriter) open(op wasm.Op, typ uint64, void bool) {
	g.add(wasm.I(op, typ))
	g.blocks = append(g.blocks, void)
}

func (g *moduleWriter) close() {
	g.add(wasm.I(wasm.OpEnd))
	g.blocks = g.blocks[:len(g.blocks)-1]
}

// label is an open block that can be branched to without a value, or false.
func (g *moduleWriter) label() (uint64, bool) {
	for range 4 {
		k := g.IntN(len(g.blocks))
		if g.blocks[len(g.blocks)-1-k] {
			return uint64(k), true
		}
	}
	return 0, false
}

func (g *moduleWriter) body(depth int) {
	for range 1 + g.IntN(3) {
		g.statement(depth - 1)
	}
}

func (g *moduleWriter) statement(depth int) {
	kind := g.IntN(14)
	if depth <= 0 {
		kind = g.IntN(6)
	}
	switch kind {
	case 0, 1:
		g.value(2)
		g.add(wasm.I(wasm.OpLocalSet, uint64(g.IntN(4))))
	case 2:
		if label, ok := g.label(); ok {
			g.value(1)
			g.add(wasm.I(wasm.OpBrIf, label))
		}
	case 3:
		g.value(1)
		g.add(wasm.I(wasm.OpDrop), wasm.I(wasm.OpNop))
	case 4:
		g.add(wasm.I(wasm.OpI32Const, 0), wasm.I(wasm.OpI32Const, uint64(g.IntN(9))), wasm.I(wasm.OpI32Const, uint64(g.IntN(99))))
		if g.IntN(2) == 0 {
			g.add(wasm.I(wasm.OpMemoryFill))
		} else {
			g.add(wasm.I(wasm.OpMemoryCopy))
		}
	case 5:
		g.leave()
	case 6, 7:
		g.open(wasm.OpBlock, wasm.EmptyBlock, true)
		g.body(depth)
		g.close()
	case 8, 9:
		g.open(wasm.OpLoop, wasm.EmptyBlock, true)
		g.spend()
		g.body(depth)
		g.close()
	case 10:
		g.value(1)
		g.open(wasm.OpIf, wasm.EmptyBlock, true)
		g.body(depth)
		if g.IntN(2) == 0 {
			g.add(wasm.I(wasm.OpElse))
			g.body(depth)
		}
		g.close()
	case 11: // a loop with a parameter and a result
		g.value(1)
		g.open(wasm.OpLoop, wasm.TypeBlock+3, false)
		g.spend()
		g.add(wasm.I(wasm.OpLocalTee, 0), wasm.I(wasm.OpLocalGet, 0))
		g.value(1)
		g.add(wasm.I(0x71), wasm.I(wasm.OpBrIf, 0), wasm.I(wasm.OpLocalSet, 1), wasm.I(wasm.OpLocalGet, 1))
		g.close()
		g.add(wasm.I(wasm.OpLocalSet, 2))
	case 13: // one segment that is a loop: its header has to charge
		g.add(wasm.I(wasm.OpLoop, wasm.EmptyBlock), wasm.I(wasm.OpLocalGet, 0), wasm.I(wasm.OpI32Const, 1), wasm.I(0x6b), wasm.I(wasm.OpLocalTee, 0),
			wasm.I(wasm.OpI32Const, 15), wasm.I(0x71), wasm.I(wasm.OpBrIf, 0), wasm.I(wasm.OpEnd))
	case 12: // unreachable code with blocks in it
		g.open(wasm.OpBlock, wasm.EmptyBlock, true)
		g.add(wasm.I(wasm.OpBr, 0))
		g.open(wasm.OpLoop, wasm.EmptyBlock, true)
		g.body(depth)
		g.add(wasm.I(wasm.OpBr, 0))
		g.close()
		g.close()
	}
}

// leave goes elsewhere: behind it nothing is reachable until a block ends.
func (g *moduleWriter) leave() {
	g.add(wasm.I(wasm.OpBlock, wasm.EmptyBlock))
	g.blocks = append(g.blocks, true)
	label, ok := g.label()
	switch {
	case g.IntN(4) == 0:
		g.value(1)
		g.add(wasm.I(wasm.OpReturn))
	case ok && g.IntN(2) == 0:
		g.add(wasm.I(wasm.OpBr, label))
	case ok:
		other, _ := g.label()
		g.value(1)
		g.add(wasm.Instr{Op: wasm.OpBrTable, Imm: uint64(len(g.f.Labels)), Imm2: 3})
		g.f.Labels = append(g.f.Labels, uint32(label), 0, uint32(min(other, label)))
		if !g.blocks[len(g.blocks)-1-int(min(other, label))] {
			g.f.Labels[len(g.f.Labels)-1] = 0
		}
	}
	g.close()
}

// value pushes an i32.
func (g *moduleWriter) value(depth int) {
	kind := g.IntN(9)
	if depth == 0 {
		kind = g.IntN(3)
	}
	switch kind {
	case 0:
		g.add(wasm.I(wasm.OpI32Const, uint64(g.IntN(4))))
	case 1, 2:
		g.add(wasm.I(wasm.OpLocalGet, uint64(g.IntN(4))))
	case 3, 4:
		g.value(depth - 1)
		g.value(depth - 1)
		g.add(wasm.I(wasm.Op(0x6a + g.IntN(3)))) // add, sub, mul
	case 5:
		g.value(depth - 1)
		g.add(wasm.I(wasm.OpI32Eqz))
	case 6:
		g.value(depth - 1)
		g.add(wasm.I(wasm.OpIf, uint64(wasm.I32)))
		g.blocks = append(g.blocks, false)
		g.value(depth - 1)
		g.add(wasm.I(wasm.OpElse))
		g.value(depth - 1)
		g.close()
	case 7:
		g.value(depth - 1)
		g.value(depth - 1)
		g.add(wasm.I(wasm.OpCall, uint64(2+g.IntN(g.funcs-1))))
	case 8:
		g.value(depth - 1)
		g.value(depth - 1)
		g.add(wasm.I(wasm.OpI32Const, uint64(g.IntN(4))), wasm.Instr{Op: wasm.OpCallIndirect, Imm: 1})
	}
}
