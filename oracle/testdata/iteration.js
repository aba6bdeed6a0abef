(() => { function* g() { const x = yield 1; yield x * 2; return 3 } const i = g(); return JSON.stringify([i.next(), i.next(5), i.next(), i.next()]) })()

[...(function* () { yield* [1, 2]; yield* 'ab'; return 9 })()].join()

(() => { function* g() { try { yield 1; yield 2 } finally { yield 'f' } } const i = g(); i.next(); return JSON.stringify([i.return(7), i.next()]) })()

(() => { function* g() { try { yield 1 } catch (e) { yield 'c' + e } } const i = g(); i.next(); return i.throw('x').value })()

(() => { function* nat() { let n = 0; while (true) yield n++ } let s = 0; for (const n of nat()) { if (n > 200) break; s += n } return s })()

(() => { function* walk(t) { if (t) { yield* walk(t.l); yield t.v; yield* walk(t.r) } } const ins = (t, v) => t ? (v < t.v ? t.l = ins(t.l, v) : t.r = ins(t.r, v), t) : { v }; let t; for (const v of [5, 2, 8, 1, 9, 3]) t = ins(t, v); return [...walk(t)].join() })()

(() => { const it = { from: 1, to: 5, *[Symbol.iterator]() { for (let i = this.from; i <= this.to; i++) yield i } }; return Math.max(...it) })()

(() => { let closed = 0; const it = { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return() { closed++; return {} } }) }; for (const x of it) break; const [a] = it; return closed })()

(() => { const [a, , b = 9, ...c] = (function* () { yield 1; yield 2; yield undefined; yield 4; yield 5 })(); return [a, b, c].join() })()

(() => { try { for (const x of { [Symbol.iterator]: () => ({ next() { throw new Error('n') } }) }); } catch (e) { return e.message } })()

(() => { try { const [a] = {} } catch (e) { return e.name + e.message } })()

(() => { function* g() { yield this.x } return g.call({ x: 4 }).next().value })()

(() => { const g = (function* () { try { g.next() } catch (e) { yield e.name } })(); return g.next().value })()

Array.from(new Map([[1, 'a'], [2, 'b']]).keys(), x => x * 2).join() + [...new Set('hello')].join('')

Object.entries({ a: 1 }).map(([k, v]) => k + v).join() + [...Array(3).keys()].join()

(() => { function* fib() { let [a, b] = [0, 1]; for (; ;) { yield a;[a, b] = [b, a + b] } } return fib().filter(x => x % 2 == 0).take(8).toArray().join() })()

(() => { let out = ''; for (const [i, c] of [...'xyz'].entries()) out += i + c; for (const c of 'a😀') out += c.length; return out })()

(() => { const m = new Map([[1, 1]]); let n = 0; for (const [k] of m) { if (n++ < 50) m.set(k + 1, 0) } return m.size })()

(() => { class L { constructor() { this.h = null; this.n = 0 } add(v) { this.h = { v, next: this.h }; this.n++; return this } *[Symbol.iterator]() { for (let c = this.h; c; c = c.next) yield c.v } } const l = new L; for (let i = 0; i < 100; i++) l.add(i); return [...l].slice(0, 3).join() + l.n })()
