package jsengine

import (
	"strings"
	"testing"
	"time"
)

func TestFailuresNameWhatRan(t *testing.T) {
	e := testEngine(t)
	fuel := Limits{Fuel: 100_000_000, Statements: 1 << 50}
	for _, c := range []struct {
		name, body string
		limits     Limits
		kind       Kind
		want       string
	}{
		{"pattern", "const x = 'a'.repeat(29) + '!';\n\nreturn /^(a+)+$/.test(x)", fuel, FuelLimit, "RegExp.prototype.exec in tool.js:3"},
		{"exec", "return /^(a+)+$/.exec('a'.repeat(29) + '!')", fuel, FuelLimit, "RegExp.prototype.exec in tool.js:1"},
		{"match", "return ('a'.repeat(29) + '!').match(/^(a+)+$/)", fuel, FuelLimit, " in tool.js:1"},
		{"sort", "function compare(a, b) {\n  for (let i = 0; i < 1e5; i++);\n  return 0\n}\nreturn Array.from({ length: 1000 }, (_, i) => i).sort(compare)", fuel, FuelLimit, "compare in tool.js:"},
		{"plain sort", "const a = new Array(3e4).fill(1).fill(2, 5, 900)\nfor (;;) a.sort()", fuel, FuelLimit, "Array.prototype.sort in tool.js:2"},
		{"bigint", "return String(7n ** 1000000n)", fuel, FuelLimit, "tool.js:1"},
		{"text", "const x = 3n ** 20000n\nfor (;;) x.toString()", fuel, FuelLimit, "BigInt.prototype.toString in tool.js:2"},
		{"json", "\n\nconst a = '[' + '1,'.repeat(1e6) + '1]'; return JSON.parse(a)", fuel, FuelLimit, "JSON.parse in tool.js:3"},
		{"bytes", "const a = new Uint8Array(1e6); for (;;)\na.copyWithin(1, 0)", fuel, FuelLimit, "TypedArray.prototype.copyWithin in tool.js:2"},
		{"statements", "function spin() {\n  for (;;) Math.abs(1)\n}\nspin()", Limits{Statements: 1000}, StatementLimit, "spin in tool.js:2"},
		{"time", "function spin() {\n  for (;;) Math.abs(1)\n}\nspin()", Limits{Statements: 1 << 50, Fuel: 1 << 50, Time: 20 * time.Millisecond}, Timeout, "in tool.js:2"},
		{"tampered", "Error.prepareStackTrace = () => { for (;;); }; Error.stackTraceLimit = 0; Array.prototype.push = String.prototype.concat = null; delete globalThis.Reflect\nfor (;;) Math.max(1)", Limits{Statements: 1000}, StatementLimit, "tool.js:2"},
	} {
		out := testImage(t, e, c.body).Call(t.Context(), Call{Limits: c.limits})
		if out.Failure == nil || out.Failure.Kind != c.kind || !strings.Contains(out.Failure.Message, c.want) {
			t.Errorf("%s: %v; want %s, %q", c.name, out.Failure, c.kind, c.want)
		}
	}
}

// Nothing of the tool runs after its end, and what it spent is what it had.
func TestNamingWhatRanIsNotTheToolsToUse(t *testing.T) {
	e := testEngine(t)
	body := `
		Object.defineProperty(Error, 'prepareStackTrace', { set() { console.log('set') }, get() { console.log('get') } });
		Array.prototype[Symbol.iterator] = () => { console.log('iterated') };
		globalThis.p = new Proxy({}, { ownKeys() { console.log('keys') }, getOwnPropertyDescriptor() { console.log('own') } });
		Object.setPrototypeOf(Array.prototype, p);
		for (;;) Math.abs(1)`
	limits := Limits{Statements: 2000}
	out := testImage(t, e, body).Call(t.Context(), Call{Limits: limits})
	if out.Failure == nil || out.Failure.Kind != StatementLimit || len(out.Logs) != 0 || out.Usage.Statements != limits.Statements {
		t.Errorf("%v, logs %v, %+v", out.Failure, out.Logs, out.Usage)
	}
	if out := testImage(t, e, `return 1`).Call(t.Context(), Call{}); string(out.Result) != "1" {
		t.Errorf("the next call: %v", out.Failure)
	}
}
