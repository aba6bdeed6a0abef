package guest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// Offsets in the parser of QuickJS, as the code of js_parse_postfix_expr reads
// them.
const (
	inputLine   = 12 // of JSParseState: how far the input was read
	inputColumn = 16
	tokenLine   = 28 // where the current token begins
	tokenColumn = 32
	tokenStart  = 36 // its address
	lineStart   = 76 // address before the current line's first character; in the first line, of it
	currentFunc = 84

	opGetField    = 64 // of the bytecode as it is first emitted
	opDrop        = 14
	opScopeGetVar = 189
	argumentCount = 40 // of the frame: the number of arguments of a call
)

// recordPositions makes errors point at what failed. QuickJS notes a place in the
// source where a call's arguments begin and at few others, so it reports an
// undefined variable or a property of undefined at the place of the last call.
// With this change every read of a variable or property notes where its name
// begins, and a call where the name of its function does.
// begins, and a call where the name of what it calls does.
// All changes are in js_parse_postfix_expr, which parses one expression with its
// calls and properties and calls itself for those inside. Two new locals keep the
// line and column of the last name: arguments parsed in between do not change
// them.
func (l *linker) recordPositions() error {
	f, err := l.fn("js_parse_postfix_expr")
	if err != nil {
		return err
	}
	here, ok1 := l.byName["emit_source_loc"]
	at, ok2 := l.byName["emit_source_loc_at"]
	if !ok1 || !ok2 || here == ambiguous || at == ambiguous {
		return errors.New("the functions that emit a position are not those of this build")
	}
	p := postfix{linker: l, code: f.Code}
	name, property, spread, call := p.variable(), p.property(), p.afterSpread(), p.afterArguments()
	if p.err != nil {
		return p.err
	}

	const state = 0 // the first parameter
	line, column := l.m.AddLocal(f, wasm.I32), l.m.AddLocal(f, wasm.I32)
	remember := []wasm.Instr{
		wasm.I(wasm.OpLocalGet, state), load(tokenLine), wasm.I(wasm.OpLocalSet, line),
		wasm.I(wasm.OpLocalGet, state), load(tokenColumn), wasm.I(wasm.OpLocalSet, column),
	}
	note := append(slices.Clone(remember), wasm.I(wasm.OpLocalGet, state), wasm.I(wasm.OpCall, uint64(here)))
	noteLast := []wasm.Instr{
		wasm.I(wasm.OpLocalGet, state), load(currentFunc), wasm.I(wasm.OpLocalGet, line), wasm.I(wasm.OpLocalGet, column),
		wasm.I(wasm.OpCall, uint64(at)),
	}
	inserted := map[int][]wasm.Instr{0: remember, name: note, property: note, spread: noteLast, call: noteLast}
	code := make([]wasm.Instr, 0, len(f.Code)+4*len(note))
	for i, in := range f.Code {
		code = append(append(code, inserted[i]...), in)
	}
	f.Code = code
	return l.placeSyntaxErrors()
}

// placeSyntaxErrors makes a syntax error point at the unexpected token. QuickJS
// gives the line that was read last, and a column of some earlier token.
func (l *linker) placeSyntaxErrors() error {
	f, err := l.fn("js_parse_error")
	if err != nil {
		return err
	}
	at, err := one(f.Code, wasm.I(wasm.OpLocalGet, 0), load(inputLine), wasm.I(wasm.OpLocalGet, 0), load(inputColumn))
	if err != nil {
		return err
	}
	f.Code[at+1] = load(tokenLine)
	f.Code[at+3] = load(tokenStart)
	f.Code = insert(f.Code, at+4, wasm.I(wasm.OpLocalGet, 0), load(lineStart), wasm.I(wasm.OpI32Sub))
	return nil
}

func load(offset uint64) wasm.Instr { return wasm.Instr{Op: wasm.OpI32Load, Imm: offset, Imm2: 2} }

// postfix finds the places in js_parse_postfix_expr. A place that is not found
// exactly once is an error; the first is reported.
type postfix struct {
	*linker
	code []wasm.Instr
	err  error
}

// variable is before the token after the name of a variable is read.
func (p *postfix) variable() int {
	emit := p.only("a variable is read", func(i int) bool {
		return p.emits(i, "emit_op", opScopeGetVar) && p.calls(i+4, "emit_u32")
	})
	return p.before(emit, func(i int) bool { return p.calls(i+1, "next_token") })
}

// property is before the operation that reads a property is emitted.
func (p *postfix) property() int {
	emit := p.only("a property is read", func(i int) bool { return p.emits(i, "__dbuf_putc", opGetField) })
	return p.before(emit, func(i int) bool { return p.is(i+1, load(currentFunc)) })
}

// afterSpread is before the parenthesis that closes arguments with a spread.
func (p *postfix) afterSpread() int {
	drop := p.only("arguments with a spread end", func(i int) bool { return p.emits(i, "emit_op", opDrop) && p.calls(i-10, "next_token") })
	return p.before(drop, func(i int) bool { return p.calls(i+1, "next_token") })
}

// afterArguments is before the parenthesis that closes arguments without one.
func (p *postfix) afterArguments() int {
	end := p.only("arguments end", func(i int) bool {
		return p.calls(i, "next_token") && p.is(i-2, wasm.Instr{Op: wasm.OpI32Store, Imm: argumentCount, Imm2: 2})
	})
	return max(end-1, 0)
}

// only returns the single index that fits.
func (p *postfix) only(what string, fits func(int) bool) int {
	found := -1
	for i := 10; i < len(p.code)-10; i++ {
		if !fits(i) {
			continue
		}
		if found >= 0 {
			p.fail(fmt.Errorf("%s in two places", what))
			return 0
		}
		found = i
	}
	if found < 0 {
		p.fail(fmt.Errorf("%s nowhere", what))
		return 0
	}
	return found
}

// before returns the nearest place ahead of an instruction where the parser's
// state is pushed for what fits.
func (p *postfix) before(end int, fits func(int) bool) int {
	for i := end - 1; i >= max(0, end-60); i-- {
		if p.is(i, wasm.I(wasm.OpLocalGet, 0)) && fits(i) {
			return i
		}
	}
	p.fail(fmt.Errorf("nothing leads to instruction %d", end))
	return 0
}

func (p *postfix) fail(err error) {
	if p.err == nil {
		p.err = fmt.Errorf("js_parse_postfix_expr: %w", err)
	}
}

// is reports whether instruction i is in, however wide its immediates are.
func (p *postfix) is(i int, in wasm.Instr) bool {
	got := p.code[i]
	got.Widths = 0
	return got == in
}

// calls reports whether instruction i calls the named function.
func (p *postfix) calls(i int, name string) bool {
	return p.code[i].Op == wasm.OpCall && p.names[uint32(p.code[i].Imm)] == name
}

// emits reports whether instruction i calls the named function with a constant as
// its last argument.
func (p *postfix) emits(i int, name string, constant uint64) bool {
	return p.calls(i, name) && p.is(i-1, wasm.I(wasm.OpI32Const, constant))
}
