package host_test

import (
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/host"
)

// What JSON has words for is JSON, as the specification has it; the rest is what
// Node prints.
func TestConsoleShowsWhatJSONHasNoWordsFor(t *testing.T) {
	for arguments, want := range map[string]string{
		"{ a: 1, b: [1, 'x', null] }":                                `{"a":1,"b":[1,"x",null]}`,
		"null, undefined, true, 1.5, -0, 10n":                        "null null true 1.5 0 10",
		"{}, []":                                                     "{} []",
		"new Map([['a', 1], [{ b: 2 }, [3]]])":                       "Map(2) { 'a' => 1, { b: 2 } => [ 3 ] }",
		"new Map(), new Set()":                                       "Map(0) {} Set(0) {}",
		"new Set([1, 'x'])":                                          "Set(2) { 1, 'x' }",
		"/a\\/b/gi":                                                  "/a\\/b/gi",
		"new TypeError('t')":                                         "TypeError: t",
		"{ e: new Error('x'), r: /y/, n: 1 }":                        "{ e: [Error: x], r: /y/, n: 1 }",
		"{ m: new Map([['k', new Set([1])]]) }":                      "{ m: Map(1) { 'k' => Set(1) { 1 } } }",
		"(() => { const o = { n: 1 }; o.self = o; return o; })()":    "<ref *1> { n: 1, self: [Circular *1] }",
		"(() => { const a = [1]; a.push({ a }); return a; })()":      "<ref *1> [ 1, { a: [Circular *1] } ]",
		"{ big: 1n, f() {}, u: undefined, s: Symbol('q') }":          "{ big: 1n, f: [Function: f], u: undefined, s: Symbol(q) }",
		"new (class Point { constructor() { this.x = 1; } })":        "Point { x: 1 }",
		"new Date(0)":                                                `"1970-01-01T00:00:00.000Z"`,
		"[new Date(0), {}]":                                          "[ 1970-01-01T00:00:00.000Z, {} ]",
		"new Uint8Array([1, 2])":                                     "Uint8Array(2) [ 1, 2 ]",
		"Promise.resolve(1)":                                         "Promise",
		"{ a: { b: { c: { d: { e: { f: { g: new Map() } } } } } } }": "{ a: { b: { c: { d: { e: { f: [Object] } } } } } }",
		"{ get boom() { throw 1; }, m: new Map() }":                  "{ boom: [Getter], m: Map(0) {} }",
		"'%s is %d of %i, %f', 'x', '4', 7.9, '1.5', 'rest'":         "x is 4 of 7, 1.5 rest",
		"'%o and %O %j', { a: 1 }, [2], { b: 3 }":                    `{"a":1} and [2] {"b":3}`,
		"'%c100%% %s%d', 'color: red', 'a'":                          "100% a%d",
		"'100%', 5":                                                  "100% 5",
		"'%x %s', 1":                                                 "%x 1",
		"'%s', new Map([[1, 2]])":                                    "Map(1) { 1 => 2 }",
		"'50% of %s'":                                                "50% of %s",
	} {
		got := run(t, host.World{}, nil, "console.log("+arguments+");")
		if got.Failure != nil || len(got.Logs) != 1 || got.Logs[0].Text != want {
			t.Errorf("%s: %+v, %v; want %s", arguments, got.Logs, got.Failure, want)
		}
	}
	got := run(t, host.World{}, nil, "console.log(new Set(Array.from({ length: 5000 }, (_, n) => n)));")
	if text := got.Logs[0].Text; !strings.HasSuffix(text, "99, ... 4900 more items }") {
		t.Errorf("a large set: %q", text)
	}
	got = run(t, host.World{}, nil, "console.log(new Proxy({}, { ownKeys() { throw new Error('x') }, getPrototypeOf() { throw new Error('y') } })); return 1;")
	if got.Failure != nil || got.Logs[0].Text != "[object]" {
		t.Errorf("a hostile proxy: %v, %v", got.Logs, got.Failure)
	}
}
