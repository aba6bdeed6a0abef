(() => { const csv = 'id,name,qty\n1,"Bolt, M6",20\n2,Nut,35\n3,"Say ""hi""",1'; const rows = csv.split('\n').map(l => { const c = []; let q = false, f = ''; for (let i = 0; i < l.length; i++) { const ch = l[i]; if (q) { if (ch === '"' && l[i + 1] === '"') { f += '"'; i++ } else if (ch === '"') q = false; else f += ch } else if (ch === '"') q = true; else if (ch === ',') { c.push(f); f = '' } else f += ch } c.push(f); return c }); return JSON.stringify(rows) })()

(() => { const md = '# T\n\nsome *em* and **b** [l](u)\n- a\n- b'; return md.replace(/^# (.*)$/gm, '<h1>$1</h1>').replace(/\*\*(.+?)\*\*/g, '<b>$1</b>').replace(/\*(.+?)\*/g, '<i>$1</i>').replace(/\[(.*?)\]\((.*?)\)/g, '<a href="$2">$1</a>').replace(/^- (.*)$/gm, '<li>$1</li>') })()

(() => { const words = 'the cat and the dog and the bird'.split(' '); const f = words.reduce((m, w) => (m[w] = (m[w] || 0) + 1, m), {}); return Object.entries(f).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(e => e.join(':')).join() })()

(() => { const a = 'kitten', b = 'sitting'; const d = Array.from({ length: a.length + 1 }, (_, i) => [i]); for (let j = 0; j <= b.length; j++) d[0][j] = j; for (let i = 1; i <= a.length; i++) for (let j = 1; j <= b.length; j++) d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] !== b[j - 1])); return d[a.length][b.length] })()

(() => { const g = { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }; const seen = new Set, out = []; const visit = n => { if (seen.has(n)) return; seen.add(n); g[n].forEach(visit); out.unshift(n) }; Object.keys(g).forEach(visit); return out.join() })()

(() => { const primes = []; outer: for (let n = 2; primes.length < 60; n++) { for (const p of primes) { if (p * p > n) break; if (n % p === 0) continue outer } primes.push(n) } return primes.at(-1) })()

(() => { const q = new URLSearchParamsLike('a=1&b=x%20y&a=2'); return q.get('b') + q.all('a').join(); function URLSearchParamsLike(s) { const m = s.split('&').map(p => p.split('=').map(decodeURIComponent)); this.get = k => m.find(e => e[0] === k)?.[1]; this.all = k => m.filter(e => e[0] === k).map(e => e[1]) } })()

(() => { const toks = '3 + 4 * (2 - 1)'.match(/\d+|[-+*/()]/g); let i = 0; const expr = () => { let v = term(); while (/[-+]/.test(toks[i] ?? '')) v = toks[i++] === '+' ? v + term() : v - term(); return v }; const term = () => { let v = fac(); while (/[*/]/.test(toks[i] ?? '')) v = toks[i++] === '*' ? v * fac() : v / fac(); return v }; const fac = () => { if (toks[i] === '(') { i++; const v = expr(); i++; return v } return +toks[i++] }; return expr() })()

(() => { const roman = n => [[1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']].reduce((s, [v, r]) => { while (n >= v) { s += r; n -= v } return s }, ''); return [1994, 2024, 49].map(roman).join() })()

(() => { const luhn = s => [...s].reverse().map(Number).reduce((a, d, i) => a + (i % 2 ? (d * 2 > 9 ? d * 2 - 9 : d * 2) : d), 0) % 10 === 0; return luhn('4539578763621486') + '' + luhn('8273123273520569') })()

(() => { const lines = Array.from({ length: 80 }, (_, i) => `2024-01-${String(i % 28 + 1).padStart(2, '0')} ${['INFO', 'WARN', 'ERROR'][i % 3]} msg ${i}`); const by = {}; for (const l of lines) { const [, lv] = l.split(' '); (by[lv] ??= []).push(l) } return Object.entries(by).map(([k, v]) => k + v.length).join() })()

(() => { const diff = (a, b) => { const A = a.split(' '), B = b.split(' '), L = Array.from({ length: A.length + 1 }, () => new Array(B.length + 1).fill(0)); for (let i = A.length - 1; i >= 0; i--) for (let j = B.length - 1; j >= 0; j--) L[i][j] = A[i] === B[j] ? L[i + 1][j + 1] + 1 : Math.max(L[i + 1][j], L[i][j + 1]); return L[0][0] }; return diff('the quick brown fox', 'the slow brown dog fox') })()

(() => { let x = 42; const rnd = () => (x = (x * 1664525 + 1013904223) >>> 0) / 2 ** 32; const a = Array.from({ length: 100 }, rnd); const m = a.reduce((s, v) => s + v) / 100; return [m.toFixed(6), Math.sqrt(a.reduce((s, v) => s + (v - m) ** 2, 0) / 100).toFixed(6)].join() })()

(() => { const b = []; const q = (r, c, d1, d2) => { if (r === 6) { b.push(1); return } for (let i = 0; i < 6; i++) { if (c & 1 << i || d1 & 1 << (r + i) || d2 & 1 << (r - i + 6)) continue; q(r + 1, c | 1 << i, d1 | 1 << (r + i), d2 | 1 << (r - i + 6)) } }; q(0, 0, 0, 0); return b.length })()

(() => { const t = '{{a}} and {{b.c}} {{#each l}}[{{.}}]{{/each}}'; const d = { a: 1, b: { c: 2 }, l: [3, 4] }; return t.replace(/\{\{#each (\w+)\}\}(.*?)\{\{\/each\}\}/g, (_, k, body) => d[k].map(v => body.replace('{{.}}', v)).join('')).replace(/\{\{([\w.]+)\}\}/g, (_, p) => p.split('.').reduce((o, k) => o?.[k], d)) })()

(() => { const rotl = (x, n) => (x << n) | (x >>> (32 - n)); let [a, b, c, d] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]; for (let i = 0; i < 64; i++) { const f = (b & c) | (~b & d);[a, b, c, d] = [d, (b + rotl((a + f + i * 0x5a827999) | 0, 7)) | 0, b, c] } return [a, b, c, d].map(v => (v >>> 0).toString(16)).join('') })()

(() => { const heap = []; const push = v => { heap.push(v); let i = heap.length - 1; while (i && heap[(i - 1) >> 1] > heap[i]) { const p = (i - 1) >> 1;[heap[p], heap[i]] = [heap[i], heap[p]]; i = p } }; for (let i = 0; i < 200; i++) push((i * 7919) % 503); return heap[0] + ',' + heap.length })()

(() => { const s = new Set; let n = 27, k = 0; while (n !== 1) { s.add(n); n = n % 2 ? 3 * n + 1 : n / 2; k++ } return k + ',' + Math.max(...s) })()
