package guest

import (
	"encoding/binary"
	"fmt"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// Flags of a regular expression in this build.
const (
	flagIgnoreCase  = 2
	flagUnicode     = 16
	flagUnicodeSets = 256
	unicodeBit      = 4 // of the flags
	unicodeSetsBit  = 8
	parsesUnicode   = 48 // of REParseState: where the parser keeps the flag u
	matchesUnicode  = 22 // of REExecContext: where the matcher does
	atomUnicode     = 119
)

// Operators that only this file and the allocator's constants need by name.
const (
	opI32Eq     = wasm.Op(0x46)
	opI32LtS    = wasm.Op(0x48)
	opI32GtS    = wasm.Op(0x4a)
	opI32And    = wasm.Op(0x71)
	opI32Or     = wasm.Op(0x72)
	opI32ShrU   = wasm.Op(0x76)
	opI32Load8U = wasm.Op(0x2d)
	opI32Store8 = wasm.Op(0x3a)
)

// noSets is the error message for a pattern with set notation, at most 63 bytes.
const noSets = "set notation of the flag v is not supported"

// readUnicodeSets makes the flag v of a regular expression mean what u does. The
// build accepts v and then matches as with neither. What v adds, sets within sets,
// is refused where a pattern is compiled, literals included: read as u, it would
// match something else.
func (l *linker) readUnicodeSets() error {
	for _, edit := range []struct {
		fn  string
		run func(*wasm.Func) error
	}{
		{"lre_compile", l.compileUnicodeSets},
		{"lre_exec", l.matchUnicodeSets},
		{"js_compile_regexp", l.passUnicodeSets},
		{"js_regexp_Symbol_matchAll", l.findUnicodeSets},
		{"js_regexp_Symbol_split", l.findUnicodeSets},
		{"js_regexp_Symbol_match", l.stepUnicodeSets},
		{"js_regexp_Symbol_replace", l.stepUnicodeSets},
	} {
		f, err := l.fn(edit.fn)
		if err == nil {
			err = edit.run(f)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", edit.fn, err)
		}
	}
	return nil
}

func constant(n uint64) wasm.Instr { return wasm.I(wasm.OpI32Const, n) }

// compileUnicodeSets makes the parser read v as u, and refuse set notation before
// parsing. Parameters of lre_compile: length, message, its size, pattern, its
// length, flags, opaque.
func (l *linker) compileUnicodeSets(f *wasm.Func) error {
	const length, message, pattern, size, flags = 0, 1, 3, 4, 5
	at, err := one(f.Code, constant(unicodeBit), wasm.I(opI32ShrU), constant(1), wasm.I(opI32And), wasm.Instr{Op: opI32Store8, Imm: parsesUnicode})
	if err != nil {
		return err
	}
	f.Code = insert(f.Code, at+2, wasm.I(wasm.OpLocalGet, flags), constant(unicodeSetsBit), wasm.I(opI32ShrU), wasm.I(opI32Or))
	check := []wasm.Instr{
		wasm.I(wasm.OpLocalGet, flags), constant(flagUnicodeSets), wasm.I(opI32And), wasm.I(wasm.OpIf, wasm.EmptyBlock),
		wasm.I(wasm.OpLocalGet, pattern), wasm.I(wasm.OpLocalGet, pattern), wasm.I(wasm.OpLocalGet, size), wasm.I(wasm.OpI32Add),
		wasm.I(wasm.OpLocalGet, flags), wasm.I(wasm.OpCall, l.setNotation()), wasm.I(wasm.OpIf, wasm.EmptyBlock),
	}
	text := make([]byte, (len(noSets)/8+1)*8)
	copy(text, noSets)
	for n := 0; n < len(text); n += 8 {
		check = append(check, wasm.I(wasm.OpLocalGet, message), wasm.I(wasm.OpI64Const, binary.LittleEndian.Uint64(text[n:])),
			wasm.Instr{Op: wasm.OpI64Store, Imm: uint64(n)})
	}
	check = append(check, wasm.I(wasm.OpLocalGet, length), constant(0), wasm.Instr{Op: wasm.OpI32Store, Imm2: 2}, constant(0), wasm.I(wasm.OpReturn),
		wasm.I(wasm.OpEnd), wasm.I(wasm.OpEnd))
	f.Code = insert(f.Code, 0, check...)
	return nil
}

// matchUnicodeSets makes the matcher read v as u. The compiled pattern, its second
// parameter, begins with the flags.
func (l *linker) matchUnicodeSets(f *wasm.Func) error {
	at, err := one(f.Code, constant(unicodeBit), wasm.I(opI32ShrU), constant(1), wasm.I(opI32And))
	if err != nil {
		return err
	}
	if f.Code[at+5].Op != opI32Store8 || f.Code[at+5].Imm != matchesUnicode {
		return fmt.Errorf("the flag is kept elsewhere")
	}
	f.Code = insert(f.Code, at+2, wasm.I(wasm.OpLocalGet, 1), wasm.Instr{Op: opI32Load8U, Imm: unicodeSetsBit / 8}, wasm.I(opI32Or))
	return nil
}

// passUnicodeSets passes the pattern in whole characters, not in halves.
func (l *linker) passUnicodeSets(f *wasm.Func) error {
	at, err := one(f.Code, constant(flagUnicode), wasm.I(opI32And), wasm.I(wasm.OpI32Eqz))
	if err != nil {
		return err
	}
	f.Code[at] = constant(flagUnicode | flagUnicodeSets)
	return nil
}

// findUnicodeSets checks for v where an expression's flags lack u: both make an
// empty match step over a whole character.
func (l *linker) findUnicodeSets(f *wasm.Func) error {
	search := wasm.I(wasm.OpCall, uint64(l.byName["string_indexof_char"]))
	at, err := one(f.Code, constant('u'), constant(0), search)
	if err != nil {
		return err
	}
	text := f.Code[at-1] // local.get or local.tee of the flags
	found := l.m.AddLocal(f, wasm.I32)
	f.Code = insert(f.Code, at+3,
		wasm.I(wasm.OpLocalSet, found),
		wasm.I(wasm.OpLocalGet, found), constant(0), wasm.I(opI32LtS), wasm.I(wasm.OpIf, wasm.EmptyBlock),
		wasm.I(wasm.OpLocalGet, text.Imm), constant('v'), constant(0), search, wasm.I(wasm.OpLocalSet, found),
		wasm.I(wasm.OpEnd), wasm.I(wasm.OpLocalGet, found))
	return nil
}

// stepUnicodeSets does the same where the property unicode is asked and the flags
// are at hand.
func (l *linker) stepUnicodeSets(f *wasm.Func) error {
	search := wasm.I(wasm.OpCall, uint64(l.byName["string_indexof_char"]))
	global, err := one(f.Code, constant('g'), constant(0), search)
	if err != nil {
		return err
	}
	for global > 0 && f.Code[global].Op != wasm.OpI32WrapI64 {
		global--
	}
	text := f.Code[global-1].Imm
	at, err := one(f.Code, wasm.I(wasm.OpCall, uint64(l.byName["JS_GetPropertyInternal"])), wasm.I(wasm.OpCall, uint64(l.byName["JS_ToBoolFree"])))
	if err != nil {
		return err
	}
	if in := f.Code[at-3]; in.Op != wasm.OpI32Const || in.Imm != atomUnicode {
		return fmt.Errorf("another property than unicode is asked")
	}
	whole := l.m.AddLocal(f, wasm.I32)
	f.Code = insert(f.Code, at+2,
		wasm.I(wasm.OpLocalSet, whole),
		wasm.I(wasm.OpLocalGet, whole), wasm.I(wasm.OpI32Eqz), wasm.I(wasm.OpIf, wasm.EmptyBlock),
		wasm.I(wasm.OpLocalGet, text), wasm.I(wasm.OpI32WrapI64), constant('v'), constant(0), search,
		constant(0), wasm.I(opI32LtS), wasm.I(wasm.OpI32Eqz), wasm.I(wasm.OpLocalSet, whole),
		wasm.I(wasm.OpEnd), wasm.I(wasm.OpLocalGet, whole))
	return nil
}

// setNotation adds a function (from, to, flags) that reports whether a pattern
// needs what only the flag v has: a set within a set, an operator of two equal
// marks, \q, or \P where case is ignored, which v folds before it takes the
// complement. It returns the function's index.
func (l *linker) setNotation() uint64 {
	const at, to, flags, inSet, c, next = 0, 1, 2, 3, 4, 5
	get := func(n uint64) wasm.Instr { return wasm.I(wasm.OpLocalGet, n) }
	is := func(n, char uint64) []wasm.Instr { return []wasm.Instr{get(n), constant(char), wasm.I(opI32Eq)} }
	yes := []wasm.Instr{wasm.I(wasm.OpIf, wasm.EmptyBlock), constant(1), wasm.I(wasm.OpReturn), wasm.I(wasm.OpEnd)}
	advance := func(by uint64) []wasm.Instr {
		return []wasm.Instr{get(at), constant(by), wasm.I(wasm.OpI32Add), wasm.I(wasm.OpLocalSet, at)}
	}
	again := func(depth uint64) wasm.Instr { return wasm.I(wasm.OpBr, depth) }
	and, not := wasm.I(opI32And), wasm.I(wasm.OpI32Eqz)
	begin, end := wasm.I(wasm.OpIf, wasm.EmptyBlock), wasm.I(wasm.OpEnd)

	var code []wasm.Instr
	add := func(parts ...any) {
		for _, part := range parts {
			switch part := part.(type) {
			case wasm.Instr:
				code = append(code, part)
			case []wasm.Instr:
				code = append(code, part...)
			}
		}
	}
	add(wasm.I(wasm.OpBlock, wasm.EmptyBlock), wasm.I(wasm.OpLoop, wasm.EmptyBlock))
	add(get(at), get(to), wasm.I(wasm.OpI32LtU), not, wasm.I(wasm.OpBrIf, 1))
	add(get(at), wasm.Instr{Op: opI32Load8U}, wasm.I(wasm.OpLocalSet, c))
	add(constant(0), wasm.I(wasm.OpLocalSet, next))
	add(get(at), constant(1), wasm.I(wasm.OpI32Add), get(to), wasm.I(wasm.OpI32LtU), begin)
	add(get(at), wasm.Instr{Op: opI32Load8U, Imm: 1}, wasm.I(wasm.OpLocalSet, next), end)

	add(is(c, '\\'), begin)
	add(is(next, 'q'), get(inSet), and, yes)
	add(is(next, 'P'), get(flags), constant(flagIgnoreCase), and, constant(0), wasm.I(opI32Eq), not, and, yes)
	add(advance(2), again(1), end)

	add(get(inSet), not, begin)
	add(is(c, '['), begin, constant(1), wasm.I(wasm.OpLocalSet, inSet))
	add(is(next, '^'), begin, advance(1), end, end)
	add(advance(1), again(1), end)

	add(is(c, '['), yes)
	add(is(c, ']'), begin, constant(0), wasm.I(wasm.OpLocalSet, inSet), advance(1), again(1), end)
	// Two equal marks; all that may stand twice are letters, digits, _ and quotes.
	add(get(c), get(next), wasm.I(opI32Eq), get(c), constant(' '), wasm.I(wasm.OpI32GtU), and, get(c), constant(0x7f), wasm.I(wasm.OpI32LtU), and)
	for _, span := range [][2]uint64{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}, {'_', '_'}, {'"', '"'}, {'\'', '\''}} {
		add(get(c), constant(span[0]), wasm.I(wasm.OpI32Sub), constant(span[1]-span[0]), wasm.I(wasm.OpI32GtU), and)
	}
	add(yes)
	add(advance(1), again(0), end, end)
	add(constant(0), end)

	index := uint64(l.m.ImportedFuncs() + len(l.m.Funcs))
	l.m.Funcs = append(l.m.Funcs, wasm.Func{
		Type:   l.m.TypeIndex(wasm.FuncType{Params: []wasm.ValType{wasm.I32, wasm.I32, wasm.I32}, Results: []wasm.ValType{wasm.I32}}),
		Locals: []wasm.LocalRun{{Count: 3, Type: wasm.I32}}, Code: code,
	})
	return index
}

// one returns the position of a run of instructions that must occur once. Widths
// of immediates and alignments do not count.
func one(code []wasm.Instr, run ...wasm.Instr) (int, error) {
	found := -1
	for i := 0; i+len(run) <= len(code); i++ {
		same := true
		for k, want := range run {
			in := code[i+k]
			same = same && in.Op == want.Op && in.Imm == want.Imm
		}
		if !same {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("%v stands in two places", run[0].Op)
		}
		found = i
	}
	if found < 0 {
		return 0, fmt.Errorf("%v and what follows stand nowhere", run[0].Op)
	}
	return found, nil
}

func insert(code []wasm.Instr, at int, added ...wasm.Instr) []wasm.Instr {
	out := make([]wasm.Instr, 0, len(code)+len(added))
	out = append(out, code[:at]...)
	out = append(out, added...)
	return append(out, code[at:]...)
}
