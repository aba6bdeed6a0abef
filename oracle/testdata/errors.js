throw new Error('top')

throw { toString() { return 'custom' } }

throw undefined

null.f

undefined_name + 1

(1)()

new (() => 1)

let x = 1; let y = x.a.b

'abc'.repeat(-1)

new Array(-1)

(1).toFixed(101)

[].reduce((a, b) => a)

class A { constructor() { this.x } } class B extends A { constructor() { } } new B

Object.defineProperty(Object.freeze({}), 'a', { value: 1 })

Symbol() + ''

JSON.parse('{bad}')

new RegExp('(')

function f() { return f() } f()

(function g(n) { return n ? g(n - 1) : new Error('deep').stack.split('\n').length })(50)

let s = 'x'; let bad = ; 1

function ( { }

var a = 1; return a

await 1

'use strict'; with ({}) { }

`unterminated

/unterminated

a => { break }

let dup = 1; let dup = 2

({ get a() { throw new RangeError('getter') } }).a

[3, 2, 1].sort(() => { throw new Error('cmp') })

new Proxy({}, { get() { throw new Error('trap') } }).x

(() => { try { try { throw 1 } finally { throw 2 } } catch (e) { return e } })()

(() => { const e = new Error('a'); return e.name + e.message + (e.stack.length > 0) + Object.keys(e).length })()

(() => { class E extends TypeError { get name() { return 'E' } } try { throw new E('m') } catch (e) { return e + (e instanceof TypeError) } })()

(() => { try { (function r() { r() })() } catch (e) { return e.name } })() + (() => { try { (function r() { r() })() } catch (e) { return e.message } })()

(() => { try { const o = { get x() { return this.x } }; o.x } catch (e) { return e.name } })()

(() => { try { const o = { toString() { return '' + this } }; '' + o } catch (e) { return e.name } })()

(() => { try { const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.x } catch (e) { return e.name } })()

(() => { try { new RegExp('('.repeat(5000) + ')'.repeat(5000)).test('a') } catch (e) { return e.name } return 'ok' })()

(() => { try { eval('('.repeat(5000) + '1' + ')'.repeat(5000)) } catch (e) { return e.name } return 'ok' })()

(() => { try { eval('[' .repeat(5000)) } catch (e) { return e.name } })()

(() => { let d = 0; try { (function r() { d++; [1].map(r) })() } catch (e) { return e.name + (d > 10) } })()

(() => { let d = 0; try { (function r() { d++; [2, 1].sort(r) })() } catch (e) { return e.name + (d > 10) } })()

(() => { let d = 0; try { (function r() { d++; 'a'.replace(/a/, r) })() } catch (e) { return e.name + (d > 10) } })()

(() => { try { class A { static m() { return new A().n() } n() { return A.m() } } A.m() } catch (e) { return e.name } })()

(() => { function* g() { yield* g() } try { g().next() } catch (e) { return e.name } })()
