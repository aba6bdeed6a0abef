(() => { let a = []; for (let i = 0; i < 3000; i++) a.push({ i, s: 'v' + i }); a = a.filter(o => o.i % 2); return a.length + a[10].s })()

(() => { let n = 0; for (let i = 0; i < 3000; i++) { const o = { a: { b: { c: [i] } } }; n += o.a.b.c[0] } return n })()

(() => { for (let i = 0; i < 500; i++) { const a = {}, b = { a }; a.b = b } return 'cycles' })()

(() => { let s = ''; for (let i = 0; i < 2000; i++) s += String.fromCharCode(97 + i % 26); return s.length + s.slice(1000, 1010) })()

(() => { let s = 'x'; for (let i = 0; i < 18; i++) s += s; return s.length })()

(() => { const parts = []; for (let i = 0; i < 2000; i++) parts.push(i); return parts.join('').length })()

(() => { const a = new Array(50000).fill(1); return a.reduce((x, y) => x + y) })()

(() => { let a = []; for (let i = 0; i < 200; i++) a = a.concat([i, i]); return a.length })()

(() => { const b = []; for (let i = 0; i < 20; i++) b.push(new Uint8Array(50000)); return b.reduce((s, x) => s + x.length, 0) })()

(() => { const m = {}; for (let i = 0; i < 1000; i++) m['key' + i] = i; for (let i = 0; i < 1000; i += 2) delete m['key' + i]; return Object.keys(m).length })()

(() => { const m = new Map(); for (let i = 0; i < 2000; i++) m.set({ i }, i); return m.size })()

(() => { try { 'x'.repeat(2 ** 30) } catch (e) { return e.name + e.message } })()

(() => { try { new ArrayBuffer(2 ** 33) } catch (e) { return e.name } })() + (() => { try { new Uint8Array(1e9) } catch (e) { return String(e && e.name) } })()

(() => { const a = []; try { for (; ;) a.push(new Uint8Array(1 << 20)) } catch (e) { const n = a.length; a.length = 0; return n > 10 } })()

(() => { let s = 'ab'; try { for (; ;) s += s } catch (e) { return e === null || e.name } })()

(() => { const w = []; for (let i = 0; i < 300; i++) w.push(new WeakRef({ i })); return w.length })()

(() => { let f = () => 0; for (let i = 0; i < 300; i++) { const g = f; f = () => g() + 1 } return f() })()

(() => { let l = null; for (let i = 0; i < 5000; i++) l = { l }; let n = 0; while (l) { l = l.l; n++ } return n })()

(() => { const memo = {}; const f = n => memo[n] ??= n < 2 ? BigInt(n) : f(n - 1) + f(n - 2); return f(300) })()

(() => { const d = Array.from({ length: 40 }, () => new Array(40).fill(0)); for (let i = 0; i < 40; i++) for (let j = 0; j < 40; j++) d[i][j] = i * j; return d.flat().reduce((a, b) => a + b) })()
