package jsengine

import (
	"slices"
	"testing"
)

// languageMissing are the rows below that the engine is known not to have. It
// takes the flag v and reads the pattern as with u.
var languageMissing = []string{
	"regexp flag v: strings", "regexp flag v: intersection", "regexp flag v: subtraction",
	"WeakRef keeps its target for the job", "Atomics.waitAsync", "Temporal",
}

// What tool authors may take for granted: ECMAScript 2015 to 2024 by its features,
// and later features that tools are known to use. Each row is an expression that
// is true where the feature works.
var language = [][2]string{
	{"destructuring", `(({ a, ...b }, [c = 3, ...d]) => a === 1 && b.x === 2 && c === 3 && d.length === 1)({ a: 1, x: 2 }, [undefined, 5])`},
	{"generators", `[...(function* () { yield* [1, 2]; })()].length === 2`},
	{"async generators", `await (async () => { let n = 0; for await (const x of (async function* () { yield 1; yield 2; })()) n += x; return n === 3; })()`},
	{"classes", `(() => { class A { #x = 1; static s = 2; static { A.t = 3; } get x() { return this.#x; } static has(o) { return #x in o; } } return new A().x === 1 && A.s === 2 && A.t === 3 && A.has(new A()); })()`},
	{"tagged templates", "((s, ...v) => s.raw[0] === 'a\\\\n' && v[0] === 1)`a\\n${1}`"},
	{"optional chaining and nullish", `(() => { let o = null; o ??= { a: undefined }; return o?.b?.c === undefined && (o.a ?? 4) === 4 && (o.f?.() === undefined); })()`},
	{"logical assignment", `(() => { let a = 0; a ||= 5; a &&= 6; return a === 6; })()`},
	{"exponent and BigInt", `2 ** 10 === 1024 && 2n ** 64n === 18446744073709551616n && BigInt.asUintN(8, 257n) === 1n`},
	{"numeric separators", `1_000_000 === 1e6`},
	{"Proxy and Reflect", `new Proxy({}, { get: (t, k) => k }).abc === 'abc' && Reflect.ownKeys({ a: 1 })[0] === 'a'`},
	{"Symbol", `Symbol.for('a').description === 'a' && typeof Symbol.asyncIterator === 'symbol'`},
	{"Map, Set, WeakMap", `new Map([[1, 2]]).get(1) === 2 && new Set([1, 1]).size === 1 && !new WeakMap().has({})`},
	{"WeakRef", `(() => { const o = {}; return new WeakRef(o).deref() === o; })()`},
	{"WeakRef keeps its target for the job", `(() => { const r = new WeakRef({}); return r.deref() !== undefined; })()`},
	{"typed arrays", `new Float32Array([1.5])[0] === 1.5 && new BigInt64Array(1)[0] === 0n && new Uint8ClampedArray([300])[0] === 255`},
	{"Object.entries and fromEntries", `Object.fromEntries(Object.entries({ a: 1 })).a === 1 && Object.values({ a: 1 })[0] === 1 && Object.hasOwn({ a: 1 }, 'a')`},
	{"Object.groupBy", `Object.groupBy([1, 2, 3], (n) => n % 2 ? 'odd' : 'even').odd.length === 2 && Map.groupBy([1], (n) => n).get(1)[0] === 1`},
	{"flat, flatMap, at, findLast", `[1, [2]].flat().at(-1) === 2 && [1].flatMap((x) => [x, x]).length === 2 && [1, 2].findLast((x) => x < 2) === 1`},
	{"copying array methods", `(() => { const a = [2, 1]; return a.toSorted()[0] === 1 && a.toReversed()[0] === 1 && a.with(0, 5)[0] === 5 && a.toSpliced(0, 1).length === 1 && a[0] === 2; })()`},
	{"stable sort", `[['b', 1], ['a', 1], ['c', 0]].sort((x, y) => x[1] - y[1]).map((x) => x[0]).join('') === 'cba'`},
	{"Array.fromAsync", `(await Array.fromAsync([Promise.resolve(1), 2])).length === 2`},
	{"string methods", `'a'.padStart(2, '-') === '-a' && ' a '.trimEnd() === ' a' && 'aXa'.replaceAll('a', 'b') === 'bXb' && 'abc'.at(-1) === 'c' && [...'a1b2'.matchAll(/\d/g)].length === 2`},
	{"well-formed strings", `'\ud800'.isWellFormed() === false && '\ud800'.toWellFormed() === '\ufffd'`},
	{"normalize", `'e\u0301'.normalize('NFC') === 'é'`},
	{"regexp named groups and lookbehind", `/(?<=a)(?<n>b)\k<n>/.exec('abb').groups.n === 'b'`},
	{"regexp unicode properties", `/^\p{Script=Hangul}+$/u.test('한글') && /\p{Emoji}/u.test('😀')`},
	{"regexp flags s, y, d", `/a.b/s.test('a\nb') && /a/y.test('a') && /a(b)/d.exec('ab').indices[1][0] === 1`},
	{"regexp flag v: strings", `new RegExp('^\\p{Emoji_Keycap_Sequence}$', 'v').test('4\ufe0f\u20e3')`},
	{"regexp flag v: intersection", `new RegExp('^[\\p{L}&&[a-z]]$', 'v').test('b')`},
	{"regexp flag v: subtraction", `new RegExp('^[\\p{L}--[a-z]]$', 'v').test('B')`},
	{"Promise combinators", `(await Promise.allSettled([Promise.reject(1)]))[0].reason === 1 && await Promise.any([Promise.reject(1), 2]) === 2 && await Promise.race([1]) === 1`},
	{"Promise.withResolvers", `await (() => { const { promise, resolve } = Promise.withResolvers(); resolve(true); return promise; })()`},
	{"Error cause and AggregateError", `new Error('a', { cause: 1 }).cause === 1 && new AggregateError([1]).errors[0] === 1`},
	{"Set methods", `new Set([1, 2]).union(new Set([3])).size === 3 && new Set([1, 2]).intersection(new Set([2])).has(2) && new Set([1]).isSubsetOf(new Set([1, 2]))`},
	{"iterator helpers", `Iterator.from([1, 2, 3]).filter((x) => x > 1).map((x) => x * 2).toArray().join() === '4,6'`},
	{"ArrayBuffer resize and transfer", `(() => { const b = new ArrayBuffer(1, { maxByteLength: 4 }); b.resize(4); return b.transfer().byteLength === 4 && b.detached; })()`},
	{"Uint8Array base64 and hex", `new Uint8Array([255]).toHex() === 'ff' && Uint8Array.fromBase64('AQ==')[0] === 1`},
	{"Math", `Math.hypot(3, 4) === 5 && Math.clz32(1) === 31 && Math.fround(5.5) === 5.5 && Math.trunc(-1.5) === -1`},
	{"Date", `new Date('2024-02-29T12:00:00Z').toISOString() === '2024-02-29T12:00:00.000Z' && Number.isNaN(Date.parse('nope'))`},
	{"JSON", `JSON.stringify({ a: [undefined, () => 1], b: undefined, c: '\u2028\ud800' }) === '{"a":[null,null],"c":"\u2028\\ud800"}' && JSON.parse('[1e3]', (k, v) => v)[0] === 1000`},
	{"labels, getters, computed names", `(() => { const k = 'a'; const o = { get [k + 'b']() { return 1; } }; out: for (;;) { for (;;) break out; } return o.ab === 1; })()`},
	{"globalThis and strict functions", `globalThis === (0, eval)('this') && (function () { 'use strict'; return this; })() === undefined`},
	{"Function constructor and eval", `new Function('a', 'return a + 1')(1) === 2 && eval('1 + 1') === 2`},
	{"sloppy mode", `(function () { return this === globalThis; })()`},
	{"FinalizationRegistry", `typeof new FinalizationRegistry(() => 1).register === 'function'`},
	{"structured error stack", `new Error('x').stack.includes('tool.js')`},
	{"explicit resource management", `typeof Symbol.dispose === 'symbol' && typeof DisposableStack === 'function'`},
	{"RegExp.escape", `typeof RegExp.escape === 'function' && new RegExp(RegExp.escape('a.b')).test('a.b')`},
	{"Promise.try", `await Promise.try(() => true)`},
	{"Math.sumPrecise", `Math.sumPrecise([0.1, 0.2, 0.3]) === 0.6`},
	{"Error.isError", `Error.isError(new TypeError())`},
	{"Float16Array", `new Float16Array([1.5])[0] === 1.5`},
	{"Atomics.waitAsync", `typeof Atomics.waitAsync === 'function'`},
	{"Temporal", `typeof Temporal === 'object'`},
}

func TestLanguage(t *testing.T) {
	e := testEngine(t)
	for _, row := range language {
		out := testImage(t, e, "return ("+row[1]+") === true;").Call(t.Context(), Call{})
		works := out.Failure == nil && string(out.Result) == "true"
		if missing := slices.Contains(languageMissing, row[0]); works == missing {
			t.Errorf("%s: works is %v, known as missing %v (%s, %v)", row[0], works, missing, out.Result, out.Failure)
		}
	}
}
