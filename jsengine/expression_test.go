package jsengine

import (
	"strings"
	"testing"
)

// Places are those that V8 gives, where it names one: a call by the name it calls
// by, and the start of an expression with new.
func TestErrorsPointAtWhatFailed(t *testing.T) {
	e := testEngine(t)
	for _, c := range []struct{ body, message, top string }{
		{"const a = 1;\n\nconst b = 2;\nreturn a + nope;", "nope is not defined", "tool.js:4:12"},
		{"return nope;", "nope is not defined", "tool.js:1:8"},
		{"const f = () => {\n  return nope.x(1);\n};\nreturn f();", "nope is not defined", "tool.js:2:10"},
		{"const a = {};\nreturn a.b.c;", "cannot read property 'c' of undefined", "tool.js:2:12"},
		{"const a = {};\nreturn a.b(1,\n  a.c);", "a.b is not a function", "tool.js:2:10"},
		{"const a = {};\nreturn a\n  .b(...[1, 2]);", "a.b is not a function", "tool.js:3:4"},
		{"const a = {};\nreturn a?.b.c();", "cannot read property 'c' of undefined", "tool.js:2:13"},
		{"const a = { f() { return {} } };\nreturn a.f(1, 2).g[0].h.i();", "cannot read property '0' of undefined", "tool.js:2:18"},
		{"const a = { f() { return { g: [] } } };\nreturn a.f(1, 2).g.h();", "a.f(…).g.h is not a function", "tool.js:2:20"},
		{"const a = {}, k = 'x';\nreturn a[k](1);", "a[k] is not a function", "tool.js:2:8"},
		{"const a = {};\nreturn new a.B(1);", "a.B is not a constructor", "tool.js:2:8"},
		{"return [1].map(3);", "[1].map was given something that is not a function", "map (native)"},
		{"const a = {};\na.b`x${1}`;", "a.b is not a function", "tool.js:2:3"},
		{"const ключ = {};\nreturn 'ü😀' + ключ.имя();", "ключ.имя is not a function", "tool.js:2:19"},
		{"const a = 1;\na = nope2;", "nope2 is not defined", "tool.js:2:5"},
		{"await null;\nreturn (async () => {\n  await null; return undefinedName })()", "undefinedName is not defined", "tool.js:3:22"},
		{"return (function () {})()()", "not a function", "tool.js:1:8"},
	} {
		f := testImage(t, e, c.body).Call(t.Context(), Call{}).Failure
		if f == nil {
			t.Errorf("%s: no failure", c.body)
			continue
		}
		top, _, _ := strings.Cut(f.Stack, "\n")
		if f.Message != c.message || !strings.HasSuffix(strings.TrimSuffix(top, ")"), strings.TrimSuffix(c.top, ")")) {
			t.Errorf("%s:\n got %s | %s\nwant %s | %s", c.body, f.Message, top, c.message, c.top)
		}
	}
}

func FuzzExpression(f *testing.F) {
	f.Add("a.b(1).c[2]?.d()", 9)
	f.Add("new a.b.c(", 0)
	f.Add("((((((]]]]).x", 12)
	f.Add(strings.Repeat("a", 700), 0)
	f.Add("a"+strings.Repeat("[]", 350), 0)
	f.Fuzz(func(t *testing.T, body string, at int) {
		if at < 0 || at >= len(body) {
			return
		}
		if text := expressionAt(body, at); len(text) > maxExpression+len("new ") {
			t.Errorf("%d bytes", len(text))
		}
	})
}
