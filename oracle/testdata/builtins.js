[3, 1, 2].sort().join() + [10, 9, 1].sort((a, b) => a - b).join()

Array.from({ length: 300 }, (_, i) => (i * 7919) % 1009).sort((a, b) => a - b).slice(0, 10).join()

Array.from({ length: 200 }, (_, i) => 'k' + (i * 31) % 97).sort().slice(50, 60).join()

[1, 2, 3, 4].map(x => x * 2).filter(x => x > 2).reduce((a, b) => a + b)

[1, [2, [3, [4]]]].flat(Infinity).join() + [1, 2].flatMap(x => [x, x]).join()

[1, 2, 3].includes(2) + '' + [1, 2, 3].indexOf(4) + [NaN].includes(NaN) + [3, 4].lastIndexOf(4)

[1, 2, 3, 4, 5].copyWithin(0, 3).join() + [1, 2, 3].fill(0, 1).join()

[5, 1, 4].toSorted().join() + [1, 2, 3].toReversed() + [1, 2, 3].with(1, 9) + [1, 2, 3, 4].toSpliced(1, 2, 'x')

(a => (a.splice(1, 2, 'x', 'y', 'z'), a.unshift(0), a.push(9), a.shift(), a.pop(), a.join()))([1, 2, 3, 4])

[1, 2, 3, 4].findLast(x => x % 2) + [1, 2, 3].findIndex(x => x === 3) + [1, 2].every(x => x > 0) + [1, 2].some(x => x > 5)

Object.groupBy ? JSON.stringify(Object.groupBy([1, 2, 3], x => x % 2 ? 'odd' : 'even')) : 'none'

JSON.stringify([...new Map([['a', 1], ['b', 2]]).entries()]) + new Map([[NaN, 1]]).get(NaN)

[...new Set([1, 1, 2, 3, 2])].join() + new Set([1, 2]).union(new Set([3])).size

(() => { const m = new Map(); for (let i = 0; i < 500; i++) m.set('k' + i % 50, i); let s = 0; for (const v of m.values()) s += v; m.delete('k1'); return s + m.size })()

(() => { const w = new WeakMap(), k = {}; w.set(k, 1); return w.get(k) + '' + w.has({}) })()

new WeakRef({ a: 1 }).deref().a

Object.keys(Object.assign({}, { a: 1 }, null, { b: 2 })).join() + Object.values('ab').join()

Object.fromEntries([['a', 1], ['b', 2]]).b + Object.getOwnPropertyNames('ab').join()

Object.isFrozen(Object.freeze({})) + '' + Object.isSealed(Object.seal({ a: 1 })) + Object.isExtensible(Object.preventExtensions({}))

JSON.stringify(Object.getOwnPropertyDescriptor({ get a() { return 1 } }, 'a')) + JSON.stringify(Object.getOwnPropertyDescriptor({ a: 1 }, 'a'))

(() => { const o = {}; Object.defineProperty(o, 'x', { value: 1 }); o.x = 2; return o.x + '' + Object.keys(o).length })()

Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } }).inherited

Object.prototype.toString.call([]) + Object.prototype.toString.call(null) + ({ get [Symbol.toStringTag]() { return 'T' } })

Reflect.ownKeys({ b: 1, a: 2, [Symbol.iterator]: 3 }).map(String).join() + Reflect.has({ x: 1 }, 'x') + Reflect.apply(Math.max, null, [1, 3, 2])

new Proxy({}, { get: (t, k) => 'got ' + String(k), has: () => true, ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }) }).foo

(() => { const log = []; const p = new Proxy({}, { set(t, k, v) { log.push(k); t[k] = v; return true }, deleteProperty(t, k) { log.push('-' + k); return delete t[k] } }); p.a = 1; p.b = 2; delete p.a; return log.join() + Object.keys(p) })()

(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); try { proxy.x } catch (e) { return e.name } })()

[Math.max(1, 2, 3), Math.min(), Math.abs(-3), Math.sign(-2), Math.trunc(2.7), Math.round(-0.5), Math.hypot(3, 4), Math.clz32(1), Math.imul(3, 4), Math.fround(5.5), Math.cbrt(27)].join()

[Math.sin(1), Math.cos(1), Math.tan(1), Math.atan2(1, 2), Math.exp(1), Math.log(2), Math.log10(1000), Math.log2(8), Math.sqrt(2), Math.pow(2, 0.5), Math.sinh(1), Math.expm1(1e-5), Math.log1p(1e-5)].map(x => x.toFixed(12)).join()

[(1234.5678).toFixed(2), (0.000001234).toExponential(2), (1234.5678).toPrecision(6), (255).toString(16), (0.5).toString(2), (1e21).toString(36)].join()

[parseInt('0x1f'), parseInt('12px'), parseFloat('3.14abc'), Number(''), Number('0b101'), Number('1_000'), +' 42 '].join()

[Number.isInteger(5.0), Number.isSafeInteger(2 ** 53), Number.EPSILON > 0, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE].join()

['abc'.charAt(1), 'abc'.charCodeAt(1), 'abc'.codePointAt(2), 'abc'.slice(-2), 'abc'.substring(2, 0), 'abc'.substr(1, 1)].join()

['a-b-c'.split('-'), 'abc'.split(''), 'a1b2'.split(/\d/), 'abc'.split('', 2)].map(x => x.join('|')).join()

['abc'.padStart(5, '*'), 'abc'.padEnd(6, '12'), ' x '.trim(), ' x '.trimStart(), 'ab'.repeat(3), 'aXbX'.replaceAll('X', '-')].join()

['abcabc'.indexOf('c', 3), 'abcabc'.lastIndexOf('b'), 'abc'.startsWith('b', 1), 'abc'.endsWith('b', 2), 'abc'.includes('bc')].join()

['ÄÖ'.toLowerCase(), 'ß'.toUpperCase(), 'İ'.toLowerCase().length, 'a'.localeCompare('b'), 'ﬁ'.toUpperCase()].join()

'abc'.concat(1, null, undefined) + 'abc'.at(-1) + String.fromCharCode(97, 98) + String.fromCodePoint(128512).length

'a,b;c'.replace(/[,;]/g, m => '<' + m + '>') + 'x'.anchor('y') + 'abc'.isWellFormed()

new Date(0).toISOString() + new Date(2020, 1, 30, 12).getTime() + Date.UTC(2000, 0)

new Date('2024-02-29T12:34:56.789Z').toISOString() + new Date('2024-02-29').getDay() + JSON.stringify(new Date(1e12))

(d => [d.getUTCFullYear(), d.setUTCMonth(13), d.getUTCDate(), d.toISOString()].join())(new Date(Date.UTC(2021, 0, 31)))

isNaN(new Date('nonsense')) + '' + (Date.now() > 0) + (new Date() - new Date() <= 0)

performance.now() >= 0 && Date.now() - performance.timeOrigin >= 0

encodeURIComponent('a b&ü/😀') + decodeURIComponent('%F0%9F%98%80') + encodeURI('http://x/ä?b=c d') + escape('ü') + unescape('%u0107')

(() => { try { decodeURIComponent('%E0%A4') } catch (e) { return e.name + e.message } })()

btoa('hello world') + atob('aGVsbG8=')

Symbol('d').toString() + Symbol.for('k').description + (Symbol.for('k') === Symbol.for('k')) + Symbol.keyFor(Symbol.for('z'))

[1, 2, 3].values().map(x => x * 2).take(2).toArray().join()

Iterator.from({ next() { return { done: (this.i = (this.i || 0) + 1) > 4, value: this.i } } }).drop(1).filter(x => x % 2).toArray().join()

Array.isArray([]) + '' + Array.of(7, 8).length + new Array(3).length + Array(1, 2).length + [].concat([1], [[2]], 3).length

Function.prototype.bind.call(function (a, b) { return this.x + a + b }, { x: 1 }, 2)(3) + (function (a, b, c) { }).length + (function nm() { }).name

(function (a) { return a }).toString().length + Math.max.toString()

Error('m', { cause: 'c' }).cause + new AggregateError([new Error('e')], 'agg').errors.length

globalThis.parseInt === Number.parseInt && Object.getOwnPropertyNames(globalThis).length

structuredClone_(); function structuredClone_() { return JSON.parse(JSON.stringify({ a: [1, { b: null }] })).a[1].b }

Array.from('a😀b').length + [...'a😀b'].length + 'a😀b'.length

[3, 2, 1].keys().toArray().join() + Object.entries([7]).join() + [..."ab"].join`+`

new Array(100).fill(0).map((_, i) => i).reverse().slice(10, 20).concat([1, 2]).join('')
