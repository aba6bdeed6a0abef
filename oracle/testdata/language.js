1 + 2 * 3 ** 2 % 7

[typeof 1, typeof 'a', typeof undefined, typeof null, typeof (() => 0), typeof Symbol(), typeof 1n].join()

var a = 1, b = 2; [a, b] = [b, a]; a * 10 + b

let { x, y: { z = 5, ...rest }, ...others } = { x: 1, y: { w: 2, v: 3 }, q: 4 }; JSON.stringify([x, z, rest, others])

(function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) })(15)

(() => { let s = 0; for (let i = 0; i < 500; i++) { if (i % 3) continue; if (i > 400) break; s += i } return s })()

(() => { let s = ''; outer: for (const a of 'abc') for (const b of 'xyz') { if (b === 'y') continue outer; s += a + b } return s })()

(() => { let n = 0; do { n++ } while (n < 100); while (n > 50) n--; return n })()

(() => { const o = { a: 1, b: 2, c: 3 }; let s = ''; for (const k in o) s += k + o[k]; return s })()

(() => { switch (3) { case 1: return 'one'; case 3: case 4: return 'three or four'; default: return 'other' } })()

(() => { try { throw new Error('x') } catch (e) { return e.message } finally { globalThis.f = 1 } })() + f

(() => { for (const i of [1, 2, 3]) { try { if (i === 2) return i } finally { if (i === 2) continue } } return 'end' })()

class A { #p = 1; static s = 2; get p() { return this.#p } set p(v) { this.#p = v } static { this.t = 3 } #m() { return 9 } m() { return this.#m() } }; const o1 = new A; o1.p = 7; [o1.p, A.s, A.t, o1.m()].join()

class B { constructor(v) { this.v = v } hi() { return 'B' + this.v } }; class C extends B { hi() { return 'C' + super.hi() } }; new C(3).hi() + (new C instanceof B)

const counter = (() => { let n = 0; return { up: () => ++n, get n() { return n } } })(); counter.up(); counter.up(); counter.n

((a, b = a * 2, ...c) => [a, b, c.length].join())(1, undefined, 3, 4, 5)

[..."héllo"].reverse().join('') + `${1 + 1}${'x'.repeat(3)}`

String.raw`a\n${1}b`

((s, ...v) => s.raw.join('|') + v.join())`p${1}q${2}r`

null ?? 'a'; (undefined?.x ?? 'none') + ({ a: { b: 1 } }?.a?.b)

let n1 = null; n1 ??= 5; n1 ||= 6; n1 &&= 7; n1

[1, 2, 3].at(-1) + [0, ...[1, 2], 3].length

({ ['a' + 1]: 2, get b() { return this.a1 + 1 }, async c() { }, *d() { } }).b

(function () { return arguments.length + [].slice.call(arguments, 1).join() })(1, 2, 3)

(function () { 'use strict'; try { undeclared = 1 } catch (e) { return e.name } })()

(function () { try { null.x } catch (e) { return e.constructor.name + e.message } })()

label: { break label }; 'after'

eval('var q = 5; q * 2') + new Function('a', 'b', 'return a*b')(3, 4)

(0, eval)('this') === globalThis

void 0 === undefined && delete ({}).x

[1, , 3].length + String([1, , 3])

(() => { let f = []; for (let i = 0; i < 3; i++) f.push(() => i); return f.map(g => g()).join() })()

(() => { var f = []; for (var i = 0; i < 3; i++) f.push(() => i); return f.map(g => g()).join() })()

typeof hoisted + hoisted(); function hoisted() { return 'h' }

(() => { try { tdz; let tdz = 1 } catch (e) { return e.name } })()

(() => { const c = 1; try { c = 2 } catch (e) { return e.name + e.message } })()

with_(); function with_() { } new Function('o', 'with (o) { return a + b }')({ a: 1, b: 2 })

[0.1 + 0.2, 1 / 3, -0, 1e21, 1e-7, 123456789012345680000, NaN, Infinity].join()

[5 & 3, 5 | 3, 5 ^ 3, ~5, 5 << 30, -5 >> 1, -5 >>> 28].join()

['1' == 1, null == undefined, NaN == NaN, [] == '', '0' == false, Object.is(-0, 0)].join()

[1 + '2', '3' * '4', [] + {}, [] + [], 1 + null, 1 + undefined, true + true].join()

(() => { let i = 0; return [i++, ++i, i--, --i, i].join() })()

new.target === undefined

(function F() { return new.target === F })() + '' + new (function G() { this.v = new.target === G })().v

Object.entries({ b: 1, a: 2, 2: 3, 1: 4 }).join(';')

(() => { const o = { toString() { return 's' }, valueOf() { return 42 } }; return `${o}` + (o + 1) + o * 2 })()

(() => { const o = { [Symbol.toPrimitive](h) { return h } }; return `${o}` + (o + '') + +{ [Symbol.toPrimitive]: () => 3 } })()

[..."ab"].entries().next().value.join() + Array.from({ length: 3 }, (_, i) => i * i).join()

var big = 0; for (var i = 0; i < 3000; i++) big = (big * 31 + i) | 0; big

(() => { let x = 1; { let x = 2; { let x = 3 } } return x })()

'use strict'; (function () { return this })() === undefined
