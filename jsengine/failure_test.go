package jsengine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestFailures(t *testing.T) {
	e := testEngine(t)
	small := Limits{Statements: 8_000, Fuel: 200_000_000, Time: 5 * time.Second, Memory: 16 << 20, Output: 1000}
	for _, c := range []struct {
		name, body   string
		limits       Limits
		kind         Kind
		jsName       string
		message, top string // contained in the message; first line of the stack
	}{
		{"loop", `for (;;);`, small, StatementLimit, "", "statements", ""},
		{"loop in a try", `for (;;) try { for (;;); } catch {}`, small, StatementLimit, "", "", ""},
		{"fuel", `return new Array(1e8) + ''`, small, FuelLimit, "", "", ""},
		{"timeout", `for (;;);`, Limits{Statements: 1 << 60, Fuel: 1 << 60, Time: 20 * time.Millisecond}, Timeout, "", "", ""},
		{"memory", `const a = []; for (;;) a.push(new Uint8Array(1 << 20))`, small, MemoryLimit, "InternalError", "out of memory", ""},
		{"memory in pieces", `const a = []; for (;;) a.push({})`, Limits{Memory: 17 << 20, Statements: 1 << 40}, MemoryLimit, "InternalError", "out of memory", ""},
		{"memory caught", `const a = []; try { for (;;) a.push(new Uint8Array(1 << 20)) } catch {} a.length = 0; throw new Error('x')`, small, Exception, "Error", "x", ""},
		{"stack", `function f() { return 1 + f() } return f()`, small, StackLimit, "RangeError", "", "at f (tool.js:1:27)"},
		{"exception", "\n  null.x", small, Exception, "TypeError", "null", "at <anonymous> (tool.js:2:8)"},
		{"exception in line 1", "throw new TypeError('t')", small, Exception, "TypeError", "t", "at <anonymous> (tool.js:1:7)"},
		{"exception after await", "await 1\nfunction f() { throw new RangeError('r') }\nf()", small, Exception, "RangeError", "r", "at f (tool.js:2:22)"},
		{"string thrown", `throw 'text'`, small, Exception, "", "text", ""},
		{"object thrown", `throw { a: 1 }`, small, Exception, "", `{"a":1}`, ""},
		{"null thrown", `throw null`, small, Exception, "", "null", ""},
		{"hostile error", `throw { get message() { throw 1 }, get name() { for (;;); } }`, small, Exception, "", "", ""},
		{"output", `return 'x'.repeat(999)`, small, OutputTooLarge, "", "", ""},
		{"never", `await new Promise(() => {})`, small, NeverSettles, "", "", ""},
		{"bigint", `return 1n`, small, Exception, "TypeError", "", ""},
		{"cycle", `const a = {}; a.a = a; return a`, small, Exception, "TypeError", "", ""},
		{"microtask throws", `queueMicrotask(() => { throw new Error('late') }); await new Promise(() => {})`, small, Exception, "Error", "late", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := testImage(t, e, c.body).Call(t.Context(), Call{Limits: c.limits})
			f := out.Failure
			if f == nil {
				t.Fatalf("no failure but %s", out.Result)
			}
			top, _, _ := strings.Cut(f.Stack, "\n")
			if f.Kind != c.kind || f.Name != c.jsName || !strings.Contains(f.Message, c.message) || c.top != "" && top != c.top {
				t.Errorf("got %v, want %s %s %q\nstack %q\ncause %v", f, c.kind, c.jsName, c.message, f.Stack, f.Cause)
			}
		})
	}
}

func TestSyntaxErrors(t *testing.T) {
	e := testEngine(t)
	for _, c := range []struct{ name, body, message, top string }{
		{"plain", "const x = 1\nconst y = = 2", "unexpected token", "at tool.js:2:11"},
		{"first line", "const = 2", "", "at tool.js:1:7"},
		{"after an indent", "const x = 1;\n  if (x { return 1 }", "Unexpected token", "at tool.js:2:9"},
		{"after wide characters", "let bö = 'ü😀' + * 2", "unexpected token", "at tool.js:1:17"},
		{"twice", "const a = 1;\n\n  let a = 3;", "redefinition", "at tool.js:3:9"},
		{"open string", "const a = 1;\nlet b = \"abc;\n", "end of string", "at tool.js:2:9"},
		{"open template over lines", "const a = 1;\nlet b = `abc;\n\n", "end of string", "at tool.js:2:9"},
		{"open comment after code", "return 1;\n  2 /* 3\n4", "end of comment", ""},
		{"open bracket", "const a = [1,\n  2", "ends too early", "at tool.js:2:4"},
		{"brace too many", "return 1;\n}", "ends too early", "at tool.js:2:2"},
		{"parenthesis too many", "f(1));", "expecting", "at tool.js:1:5"},
		{"regular expression", "const x = 1;\nreturn /(/;", "expecting", ""},
		{"reserved word", "const class = 1", "", "at tool.js:1:7"},
		{"closes and opens", "}); globalThis.x = 1; (async function () {", "closes", ""},
		{"closes and opens inside", "})(); return (async function () { return 2", "", ""},
		{"closes and loops", "}); for (;;); (async function () {", "closes", ""},
		{"open comment", "return 1 /*", "", ""},
		{"open template", "return `", "", ""},
		{"not UTF-8", "return '\xff'", "UTF-8", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := e.Image(context.Background(), Program{File: "tool.js", Body: c.body})
			var f *Failure
			if !errors.As(err, &f) {
				t.Fatalf("error %v", err)
			}
			top, _, _ := strings.Cut(f.Stack, "\n")
			if f.Kind != SyntaxError || !strings.Contains(f.Message, c.message) || c.top != "" && top != c.top {
				t.Errorf("got %v\nstack %q", f, f.Stack)
			}
		})
	}
	for _, name := range []string{"a-b", "", "a}) {}; ({", "class", "1a"} {
		if _, err := e.Image(context.Background(), Program{File: "tool.js", Names: []string{name}}); err == nil {
			t.Errorf("the name %q was accepted", name)
		}
	}
}
