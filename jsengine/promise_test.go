package jsengine

import (
	"strings"
	"testing"
)

// A promise that is forgotten in a result would arrive as {}.
func TestAPromiseInAResultIsAFailureThatNamesThePath(t *testing.T) {
	e := testEngine(t)
	for expression, path := range map[string]string{
		`{ a: p }`:                              "a",
		`[1, p]`:                                "[1]",
		`{ items: [{ id: 1 }, { detail: p }] }`: "items[1].detail",
		`{ 7: [p] }`:                            "[7][0]",
		`[[[{ a: { b: p } }]]]`:                 "[0][0][0].a.b",
		`Object.assign(new (class A {}), { x: p })`:                         "x",
		`{ a: new Date(0), имя: p }`:                                        "имя",
		`{ a: 'x'.repeat(9).split('').map(() => p) }`:                       "a[0]",
		`Object.create(null, { q: { value: p, enumerable: true } })`:        "q",
		`{ d: (async () => 1)() }`:                                          "d",
		`{ s: new (class S extends Promise {})(() => {}) }`:                 "s",
		`(() => { const o = { n: 1 }; o.o = { o }; o.p = p; return o; })()`: "p",
	} {
		out := testImage(t, e, "const p = new Promise(() => {});\nconst value = "+expression+";\nreturn value;").Call(t.Context(), Call{})
		if f := out.Failure; f == nil || f.Kind != Exception || !strings.Contains(f.Message, `at "`+path+`"`) {
			t.Errorf("%s: %s, %v; want the path %s", expression, out.Result, f, path)
		}
	}
	for expression, want := range map[string]string{
		`{ toJSON() { return 1 }, p }`: `1`,
		`{ a: Object.create({ toJSON() { return 2 } }, { p: { value: p, enumerable: true } }) }`: `{"a":2}`,
		`Object.defineProperty({ a: new Date(0) }, 'p', { value: p })`:                           `{"a":"1970-01-01T00:00:00.000Z"}`,
		`{ a: new Date(0), [Symbol('p')]: p }`:                                                   `{"a":"1970-01-01T00:00:00.000Z"}`,
		`p.constructor.resolve({ a: 1 })`:                                                        `{"a":1}`,
	} {
		out := testImage(t, e, "const p = new Promise(() => {});\nreturn "+expression+";").Call(t.Context(), Call{})
		if out.Failure != nil || string(out.Result) != want {
			t.Errorf("%s: %s, %v; want %s", expression, out.Result, out.Failure, want)
		}
	}
}

// However large or deep a result is, it is only searched so far.
func TestTheSearchForPromisesEnds(t *testing.T) {
	e := testEngine(t)
	for _, body := range []string{
		`const a = [new Date(0)]; for (let n = 0; n < 30; n++) a.push(a.slice()); return a.length;`,
		`let a = new Date(0); for (let n = 0; n < 2000; n++) a = [a]; return a;`,
		`let a = { d: new Date(0) }; for (let n = 0; n < 40; n++) a = { x: a, y: a }; return JSON.stringify(a.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x).length;`,
		`let a = { d: new Date(0) }; for (let n = 0; n < 40; n++) a = { x: a, y: a }; return a;`,
		`const p = new Proxy([], { get() { throw new Error('read') } }); return { p };`,
	} {
		out := testImage(t, e, body).Call(t.Context(), Call{Limits: Limits{Fuel: 2_000_000_000}})
		if out.Failure != nil && out.Failure.Kind == Internal {
			t.Errorf("%s: %v", body, out.Failure)
		}
	}
}
