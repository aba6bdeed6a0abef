package jsengine

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

// Every function that can be reached from the global object is called with
// everything that functions do not expect. Nothing may end in a way that is ours
// to answer for.
func TestNoBuiltinTraps(t *testing.T) {
	image := testImage(t, testEngine(t), `
		const seen = new Set(), found = [];
		const visit = (object, name, depth) => {
			if (object === null || (typeof object !== 'object' && typeof object !== 'function') || seen.has(object) || depth > 4) return;
			seen.add(object);
			if (typeof object === 'function') found.push([name, object]);
			for (const key of Reflect.ownKeys(object)) {
				const d = Object.getOwnPropertyDescriptor(object, key);
				for (const part of ['value', 'get', 'set']) visit(d[part], name + '.' + String(key), depth + 1);
			}
			visit(Object.getPrototypeOf(object), name + '.__proto__', depth + 1);
		};
		visit(globalThis, 'globalThis', 0);
		visit(Object.getPrototypeOf(async function* () {}), 'AsyncGeneratorFunction', 0);
		visit(Object.getPrototypeOf([][Symbol.iterator]()), 'ArrayIterator', 0);
		visit(Object.getPrototypeOf('x'.matchAll(/x/g)), 'RegExpStringIterator', 0);
		if (from === undefined) return found.length;
		const odd = [undefined, null, -1, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), NaN, '', '\ud800', 'a'.repeat(300), 1n << 70n, Symbol('s'), [], [1, , 3], {}, () => 1, function () { return this }, class A {},
			new Proxy({}, {}), new Proxy(function () {}, {}), new Map([[1, 2]]), new Set([1]), new Date(NaN), /(x)\1/gy, new Error('e'), new Uint8Array(3), new Float64Array(2), new DataView(new ArrayBuffer(9)), new ArrayBuffer(4),
			Promise.resolve(1), (function* () { yield 1 })(), new WeakMap(), { length: 5, 0: 'x' }, { valueOf() { throw 1 } }, { toString: null, valueOf: null }, globalThis, Object.create(null), arguments];
		for (const [name, f] of found.slice(from, to)) for (let a = 0; a < odd.length; a++) {
			for (const list of [[], [odd[(a + seed) % odd.length]], [odd[(a * 7 + seed) % odd.length], odd[(a * 3 + 1) % odd.length], odd[(a + 11) % odd.length]]]) {
				try { const r = Reflect.apply(f, odd[a], list); if (r instanceof Promise) r.catch(() => 1); } catch {}
			}
			try { const r = Reflect.construct(f, [odd[a], odd[(a + seed) % odd.length]]); if (r && r.next) r.next(odd[a]); } catch {}
		}
		return to;`, "from", "to", "seed")
	out := image.Call(t.Context(), Call{})
	count, err := strconv.Atoi(string(out.Result))
	if err != nil || count < 500 {
		t.Fatalf("%d functions, %v, %v", count, err, out.Failure)
	}
	finding := out.Usage // every call has to find the functions again
	limits := Limits{Statements: finding.Statements + 40_000, Fuel: finding.Fuel + 300_000_000, Memory: 12 << 20, Time: 5 * time.Second}
	kinds := map[Kind]int{}
	var poke func(from, to int)
	poke = func(from, to int) {
		out := image.Call(t.Context(), Call{Arguments: fmt.Appendf(nil, `{"from":%d,"to":%d,"seed":%d}`, from, to, from%13), Limits: limits, Clock: VirtualClock(bootTime), Seed: 1})
		switch f := out.Failure; {
		case f == nil:
		case f.Kind == Internal || f.Kind == HostFailure:
			t.Errorf("functions %d to %d: %v, cause %v", from, to, f, f.Cause)
		case to-from > 1: // the rest still has to be called
			middle := (from + to) / 2
			poke(from, middle)
			poke(middle, to)
		default:
			kinds[f.Kind]++
		}
	}
	for from := 0; from < count; from += 100 {
		poke(from, min(from+100, count))
	}
	t.Logf("%d functions; ended early: %v", count, kinds)
}
