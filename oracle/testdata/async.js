var out = []; Promise.resolve(1).then(v => out.push(v)); queueMicrotask(() => out.push(2)); ({ toString: () => out.join() })

var out = []; (async () => { out.push('a'); await null; out.push('b'); try { await Promise.reject(new Error('r')) } catch (e) { out.push(e.message) } })(); out.push('s'); ({ toString: () => out.join() })

var r; Promise.all([1, Promise.resolve(2), new Promise(f => queueMicrotask(() => f(3)))]).then(v => r = v); ({ toString: () => r.join() })

var r; Promise.allSettled([1, Promise.reject(2)]).then(v => r = JSON.stringify(v)); ({ toString: () => r })

var r; Promise.race([new Promise(() => { }), Promise.resolve('fast')]).then(v => r = v); ({ toString: () => r })

var r; Promise.any([Promise.reject(1), Promise.resolve(2)]).then(v => r = v); ({ toString: () => '' + r })

var r; Promise.any([Promise.reject(1)]).catch(e => r = e.constructor.name + e.errors); ({ toString: () => r })

var out = []; Promise.reject(1).finally(() => out.push('f')).catch(e => out.push(e)).then(() => out.push('t')); ({ toString: () => out.join() })

var out = []; (async function* () { yield 1; yield Promise.resolve(2); return 3 })().next().then(v => out.push(JSON.stringify(v))); ({ toString: () => out.join() })

var out = []; (async () => { for await (const x of [1, Promise.resolve(2), 3]) out.push(x); for await (const y of (async function* () { yield* [7, 8] })()) out.push(y) })(); ({ toString: () => out.join() })

var r; (async () => { let s = 0; for (let i = 0; i < 200; i++) s += await i; r = s })(); ({ toString: () => '' + r })

var r; (async () => { const sleep = n => new Promise(f => { const g = () => n-- ? queueMicrotask(g) : f(); g() }); await Promise.all([sleep(5), sleep(3)]); r = 'slept' })(); ({ toString: () => r })

var out = []; const p = new Promise((f, r) => { f(1); f(2); r(3) }); p.then(v => out.push(v)); ({ toString: () => out.join() })

var out = []; Promise.resolve({ then(f) { f('thenable') } }).then(v => out.push(v)); ({ toString: () => out.join() })

var out = []; (async () => { try { await (async () => { throw new TypeError('t') })() } catch (e) { out.push(e.name) } finally { out.push('fin') } return 1 })().then(v => out.push(v)); ({ toString: () => out.join() })

var out = []; const { promise, resolve } = Promise.withResolvers(); promise.then(v => out.push(v)); resolve(4); ({ toString: () => out.join() })

var out = []; class P2 extends Promise { }; P2.resolve(1).then(() => { }).constructor.name

var out = []; Promise.try?.(() => { throw 1 }).catch(e => out.push('c' + e)); ({ toString: () => out.join() })

var depth = 0; (async function f(n) { depth = n; if (n < 300) await f(n + 1) })(0); depth

var log = []; async function a1() { log.push(1); await a2(); log.push(4) } async function a2() { log.push(2); await 0; log.push(3) } a1(); log.push('m'); ({ toString: () => log.join() })

var log = []; (async () => { const g = (async function* () { try { yield 1; yield 2 } finally { log.push('closed') } })(); for await (const x of g) { log.push(x); break } })(); ({ toString: () => log.join() })

var n = 0; (function chain(p, k) { return k ? chain(p.then(() => n++), k - 1) : p })(Promise.resolve(), 150); ({ toString: () => '' + n })
