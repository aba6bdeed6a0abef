// what: regexp exec, nested quantifiers
/^(a+)+$/.test('a'.repeat(29) + '!');

// what: regexp, back references
/^(?:(a+)\1?)+$/.test('a'.repeat(400) + 'b');

// what: regexp replace over a long text
'abc def '.repeat(5000).replace(/\b(\w)(\w*)\b/g, '$2$1');

// what: regexp case-insensitive, unicode sets
/(?:\p{L}|\p{N})+$/iu.test('Zażółć gęślą jaźń '.repeat(3000) + '!');

// what: sort, comparator
Array.from({ length: 20000 }, (_, i) => (i * 7919) % 20011).sort((p, q) => p - q);

// what: sort, costly comparator
Array.from({ length: 3000 }, (_, i) => 'x'.repeat(200) + ((i * 7919) % 3001)).sort((p, q) => p.split('').join('') < q.split('').join('') ? -1 : 1);

// what: sort, default
Array.from({ length: 50000 }, (_, i) => (i * 7919) % 50021).sort();

// what: BigInt multiply
(() => { let x = 3n ** 20000n; for (let i = 0; i < 20; i++) x * x; })();

// what: BigInt power
7n ** 60000n;

// what: BigInt to text
(3n ** 10000n).toString();

// what: BigInt from text
BigInt('7'.repeat(10000));

// what: BigInt divide
(() => { const x = 3n ** 40000n, y = 7n ** 7000n; for (let i = 0; i < 5; i++) x / y; })();

// what: String.repeat
for (let i = 0; i < 10; i++) 'abc'.repeat(3e6);

// what: String.repeat, one character
for (let i = 0; i < 10; i++) 'a'.repeat(1e7);

// what: String.repeat, wide
for (let i = 0; i < 10; i++) '世界'.repeat(2e6);

// what: replaceAll, text
'ab'.repeat(50000).replaceAll('b', 'cdefgh');

// what: replaceAll, growing
'a'.repeat(3000).replaceAll('a', 'b'.repeat(3000));

// what: indexOf
('a'.repeat(1e6)).indexOf('a'.repeat(500) + 'b');

// what: lastIndexOf
('a'.repeat(1e6)).lastIndexOf('b' + 'a'.repeat(500));

// what: split and join
'a,'.repeat(1e5).split(',').join(';');

// what: normalize
'e\u0301'.repeat(1e5).normalize('NFC');

// what: toUpperCase
'straße '.repeat(1e5).toUpperCase();

// what: localeCompare
'a\u0301'.repeat(1e5).localeCompare('a\u0301'.repeat(1e5));

// what: concatenation, flattened
(() => { let s = ''; for (let i = 0; i < 3000; i++) { s += 'x'.repeat(500); s.charCodeAt(3); } })();

// what: slice of a long text
(() => { const s = 'xy'.repeat(2e6); for (let i = 0; i < 5; i++) s.slice(1, -1).charCodeAt(0); })();

// what: padStart
''.padStart(1e7, 'abc');

// what: Array.fill
new Array(1e6).fill(1);

// what: Array.indexOf
(() => { const a = new Array(1e6).fill(1); for (let i = 0; i < 5; i++) a.indexOf(2); })();

// what: Array.concat
(() => { const a = new Array(3e5).fill(1); a.concat(a); })();

// what: Array.splice in the front
(() => { const a = new Array(1e5).fill(1); for (let i = 0; i < 50; i++) { a.unshift(1); a.shift(); } })();

// what: Array.slice
(() => { const a = new Array(3e5).fill(1); for (let i = 0; i < 5; i++) a.slice(); })();

// what: Array.reverse
new Array(1e6).fill(1).reverse();

// what: sparse array join
new Array(1e6) + '';

// what: Array.flat
Array.from({ length: 1000 }, () => new Array(100).fill(1)).flat(9);

// what: Array.from a large object
Array.from({ length: 3e5 });

// what: strided reads
(() => { const a = new Uint8Array(2e7); let s = 0; for (let i = 0; i < a.length; i += 4096) s += a[i]; })();

// what: random reads
(() => { const a = new Float64Array(3e6); let x = 1, s = 0; for (let i = 0; i < 1e5; i++) { x = (x * 1103515245 + 12345) & 0x7fffffff; s += a[x % 3e6]; } })();

// what: TypedArray.fill, 1 byte
(() => { const a = new Uint8Array(2e7); for (let i = 0; i < 5; i++) a.fill(i); })();

// what: TypedArray.fill, 8 bytes
(() => { const a = new Float64Array(2e6); for (let i = 0; i < 5; i++) a.fill(i); })();

// what: TypedArray.set
(() => { const a = new Uint8Array(1e7), b = new Uint8Array(1e7); for (let i = 0; i < 5; i++) a.set(b); })();

// what: TypedArray.copyWithin
(() => { const a = new Uint8Array(2e7); for (let i = 0; i < 5; i++) a.copyWithin(1, 0); })();

// what: TypedArray.copyWithin, small
(() => { const a = new Uint8Array(64); for (let i = 0; i < 1e5; i++) a.copyWithin(1, 0); })();

// what: TypedArray.slice
(() => { const a = new Uint8Array(1e7); for (let i = 0; i < 3; i++) a.slice(); })();

// what: TypedArray.indexOf
(() => { const a = new Uint8Array(1e7); for (let i = 0; i < 3; i++) a.indexOf(1); })();

// what: TypedArray.sort
(() => { const a = new Float64Array(1e5); for (let i = 0; i < a.length; i++) a[i] = (i * 7919) % 100003; a.sort(); })();

// what: TypedArray, many small
for (let i = 0; i < 1e5; i++) new Uint8Array(8);

// what: ArrayBuffer, fresh
for (let i = 0; i < 3; i++) new ArrayBuffer(2e7);

// what: ArrayBuffer, many of 64 KiB
for (let i = 0; i < 2000; i++) new ArrayBuffer(65536);

// what: ArrayBuffer.resize and transfer
(() => { let a = new ArrayBuffer(1e6); for (let i = 0; i < 20; i++) a = a.transfer(1e6 + i * 1e5); })();

// what: JSON.stringify
(() => { const a = []; for (let i = 0; i < 20000; i++) a.push({ id: i, name: 'item ' + i, tags: ['a', 'b'] }); JSON.stringify(a); })();

// what: JSON.parse
(() => { const a = '[' + '{"id":1,"name":"some name","tags":["a","b"]},'.repeat(20000) + '1]'; JSON.parse(a); })();

// what: JSON.parse, numbers
JSON.parse('[' + '1.2345678901234567e-300,'.repeat(50000) + '1]');

// what: JSON.stringify, one long string
JSON.stringify('"\u0001'.repeat(3e5));

// what: numbers to text
for (let i = 0; i < 50000; i++) String(i / 7);

// what: text to numbers
for (let i = 0; i < 50000; i++) Number('1.2345678901234567e-300');

// what: toFixed and toString(2)
for (let i = 0; i < 20000; i++) { (i * 1e290).toFixed(20).length; (i / 3).toString(2); }

// what: Math
(() => { let s = 0; for (let i = 1; i < 1e6; i++) s += Math.sin(1e300 * i) + Math.pow(i, 1.5) + Math.exp(1 / i) + Math.cbrt(i); })();

// what: division and remainder
(() => { let s = 1; for (let i = 1; i < 1e6; i++) s = (s * 1e15 + i) % 12345.678; })();

// what: Math.hypot and sumPrecise
for (let i = 0; i < 1e5; i++) Math.hypot(i, 2, 3, 4);

// what: Map and Set
(() => { const m = new Map(); for (let i = 0; i < 1e5; i++) m.set('k' + i, i); for (let i = 0; i < 1e5; i++) m.get('k' + i); })();

// what: properties, dictionary
(() => { const o = {}; for (let i = 0; i < 1e5; i++) o['k' + i] = i; for (let i = 0; i < 1e5; i++) delete o['k' + i]; })();

// what: property chain
(() => { let p = {}; for (let i = 0; i < 5000; i++) p = Object.create(p); for (let i = 0; i < 100; i++) p.nothing; })();

// what: for-in
(() => { const o = {}; for (let i = 0; i < 20000; i++) o['k' + i] = i; for (let i = 0; i < 3; i++) for (const k in o); })();

// what: objects and garbage
(() => { let a = []; for (let i = 0; i < 3e5; i++) { a.push({ a }); if (a.length > 1000) a = []; } })();

// what: cyclic garbage, large heap
(() => { const keep = []; for (let i = 0; i < 2e5; i++) keep.push({ i }); for (let i = 0; i < 3e5; i++) { const a = {}; a.a = a; } })();

// what: WeakMap
(() => { const w = new WeakMap(), k = []; for (let i = 0; i < 1e5; i++) { const o = {}; w.set(o, o); if (i % 10 == 0) k.push(o); } })();

// what: Proxy
(() => { const p = new Proxy({}, { get: () => 1 }); let s = 0; for (let i = 0; i < 3e5; i++) s += p.x; })();

// what: calls
(function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); })(26);

// what: recursion, deep
(() => { function f(n) { return n ? f(n - 1) + 1 : 0; } for (let i = 0; i < 300; i++) f(2000); })();

// what: exceptions
for (let i = 0; i < 1e5; i++) try { null.x } catch { }

// what: locals
(() => { let s = 0; for (let i = 0; i < 3e6; i++) s = (s + i * 3) | 0; })();

// what: globals
globalThis.zz = 0; for (let i = 0; i < 1e6; i++) zz += i;

// what: generators
(() => { function* g() { for (let i = 0; i < 3e5; i++) yield i; } for (const x of g()); })();

// what: destructuring and spread
(() => { let a = [1, 2, 3]; for (let i = 0; i < 2e5; i++) { const [x, ...y] = [...a, i]; a = y; } })();

// what: eval
for (let i = 0; i < 2000; i++) (0, eval)('var x' + i + '=' + i + ';function f(){return x' + i + '}');

// what: eval, large
(0, eval)('1;'.repeat(2e5));

// what: template literals
(() => { let n = 0; for (let i = 0; i < 2e5; i++) n += `${i}:${i * 2}`.length; })();

// what: Date
for (let i = 0; i < 50000; i++) new Date(i * 1e9).toISOString();

// what: Date.parse
for (let i = 0; i < 50000; i++) Date.parse('2026-11-22T12:13:14.000Z');

// what: Date.now
for (let i = 0; i < 3e5; i++) Date.now();

// what: performance.now
for (let i = 0; i < 3e5; i++) performance.now();

// what: encodeURIComponent
encodeURIComponent('é ü/'.repeat(1e5));

// what: atob and btoa
atob(btoa('x'.repeat(1e6)));

// what: String.fromCharCode.apply
for (let i = 0; i < 50; i++) String.fromCharCode.apply(null, new Array(20000).fill(65));

// what: String.raw and iteration
[...'abc世界'.repeat(50000)];

// what: structuredClone by JSON
JSON.parse(JSON.stringify(Array.from({ length: 1e5 }, (_, i) => i)));

// what: includes of NaN
(() => { const a = new Array(1e6).fill(1.5); for (let i = 0; i < 3; i++) a.includes(NaN); })();

// what: toString of functions
(() => { const f = (0, eval)('(function(){' + '1;'.repeat(1e5) + '})'); for (let i = 0; i < 50; i++) f.toString().charCodeAt(1); })();

// what: symbols and atoms
for (let i = 0; i < 1e5; i++) Symbol('s' + i);

// what: Error stacks, deep
(() => { function f(n) { if (n) f(n - 1); else for (let i = 0; i < 200; i++) new Error('x').stack; } f(500); })();

// what: free of a large structure
(() => { let l = null; for (let i = 0; i < 2e5; i++) l = { l }; l = null; })();

// what: promises
await (async () => { for (let i = 0; i < 1e5; i++) await i; })();

// what: eval, a long chain of conditionals
globalThis.src ??= 'a=>(' + 'a?a:'.repeat(16000) + '1)'; (0, eval)(src);

// what: eval, private names
globalThis.src ??= 'class A{' + Array.from({ length: 9000 }, (_, i) => '#p' + i + ';').join('') + '}'; (0, eval)('(()=>{' + src + '})()');

// what: eval, declarations
globalThis.src ??= Array.from({ length: 9000 }, (_, i) => 'let v' + i + '=1;').join(''); (0, eval)('(()=>{' + src + '})()');

// what: garbage collection of a shuffled graph
if (!globalThis.graph) { globalThis.graph = []; let x = 1; for (let i = 0; i < 2e5; i++) graph.push({}); for (let i = 0; i < 2e5; i++) { x = (x * 1103515245 + 12345) & 0x7fffffff; graph[i].next = graph[x % 2e5]; } } for (let i = 0; i < 1e5; i++) { const a = {}; a.a = a; }

// what: texts compared all over the heap
if (!globalThis.texts) { globalThis.texts = []; let x = 1; for (let i = 0; i < 1e5; i++) texts.push('a long enough text ' + i); for (let i = 0; i < 1e5; i++) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % 1e5, t = texts[i]; texts[i] = texts[j]; texts[j] = t; } } for (let i = 0; i < 5; i++) texts.indexOf('a long enough text nowhere');

// what: Map lookups all over the heap
if (!globalThis.map) { globalThis.map = new Map(); for (let i = 0; i < 3e5; i++) map.set(i * 7919 % 300007, i); } { let s = 0; for (let i = 0; i < 1e5; i++) s += map.get(i * 104729 % 300007) | 0; }

// what: typed array sort, random reads
if (!globalThis.big) { globalThis.big = new Float64Array(3e6); } { let x = 1; for (let i = 0; i < 3e6; i += 7) { big[i] = x = (x * 1103515245 + 12345) & 0x7fffffff; } big.sort(); }

// what: Set algebra
if (!globalThis.sa) { globalThis.sa = new Set(); globalThis.sb = new Set(); for (let i = 0; i < 2e5; i++) { sa.add(i * 7919 % 400009); sb.add(i * 104729 % 400009); } } sa.isSubsetOf(sb); sa.intersection(sb);

// what: reduce over a shuffled linked list
if (!globalThis.head) { const n = []; for (let i = 0; i < 2e5; i++) n.push({ next: null }); let x = 1; for (let i = 2e5 - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = n[i]; n[i] = n[j]; n[j] = t; } for (let i = 1; i < 2e5; i++) n[i - 1].next = n[i]; globalThis.head = n[0]; } for (let p = head; p; p = p.next);

// what: square roots and divisions
(() => { let s = 2.5; for (let i = 1; i < 1e6; i++) s = Math.sqrt(s) / 1.0000001 + Math.fround(s); })();

// what: denormal numbers
(() => { const a = new Float64Array(1000).fill(5e-324); let s = 0; for (let k = 0; k < 100; k++) for (let i = 0; i < 1000; i++) s = a[i] * 0.5 + s / 3; })();

// what: integer division
(() => { const a = 2n ** 64n - 59n; let x = 3n; for (let i = 0; i < 1e5; i++) x = (x * x) % a; })();

// what: memory grown and given back
for (let i = 0; i < 20; i++) { const a = []; for (let k = 0; k < 30; k++) a.push(new ArrayBuffer(1e6)); }

// what: DataView
(() => { const d = new DataView(new ArrayBuffer(8)); for (let i = 0; i < 3e5; i++) { d.setFloat64(0, i); d.getBigUint64(0); } })();

// what: Float16
(() => { const a = new Float16Array(1000); for (let k = 0; k < 100; k++) for (let i = 0; i < 1000; i++) a[i] = i * 1.1; })();

// what: Intl-free date texts
for (let i = 0; i < 30000; i++) new Date(i * 1e8).toString();

// what: JSON.rawJSON and revivers
JSON.parse('[' + '1,'.repeat(20000) + '1]', (k, v) => v);

// what: proto chain all over the heap
if (!globalThis.pc) { const n = []; const N = 9e4; for (let i = 0; i < N; i++) n.push({ p: i }); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = n[i]; n[i] = n[j]; n[j] = t; } for (let i = 1; i < N; i++) Object.setPrototypeOf(n[i - 1], n[i]); globalThis.pc = n[0]; } for (let i = 0; i < 10; i++) pc.nothing;

// what: array of shuffled objects, indexOf strings
if (!globalThis.ta) { const N = 3e5; globalThis.ta = []; for (let i = 0; i < N; i++) ta.push('text number ' + i); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = ta[i]; ta[i] = ta[j]; ta[j] = t; } globalThis.needle = 'text number x' + 1; } for (let i = 0; i < 5; i++) ta.indexOf(needle);

// what: gc, shuffled
if (!globalThis.gc1) { const n = []; const N = 4e5; for (let i = 0; i < N; i++) n.push({ a: null }); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = n[i]; n[i] = n[j]; n[j] = t; } for (let i = 1; i < N; i++) n[i - 1].a = n[i]; globalThis.gc1 = n[0]; } for (let i = 0; i < 2e5; i++) { const a = {}; a.a = a; }

// what: Map strings everywhere
if (!globalThis.ms) { globalThis.ms = new Map(); globalThis.keys = []; for (let i = 0; i < 1.5e5; i++) { const k = 'key ' + i; ms.set(k, i); keys.push(k); } let x = 1; for (let i = keys.length - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = keys[i]; keys[i] = keys[j]; keys[j] = t; } } { let s = 0; for (const k of keys) s += ms.get(k); }

// what: Set.isSubsetOf
if (!globalThis.sa2) { globalThis.sa2 = new Set(); globalThis.sb2 = new Set(); let x = 1; for (let i = 0; i < 2e5; i++) { sb2.add(i); x = (x * 1103515245 + 12345) & 0x7fffffff; sa2.add(x % 2e5); } } sa2.isSubsetOf(sb2);

// what: Set.intersection
if (!globalThis.sa3) { globalThis.sa3 = new Set(); globalThis.sb3 = new Set(); for (let i = 0; i < 1e5; i++) { sa3.add(i * 7919 % 400009); sb3.add(i * 104729 % 400009); } } sa3.intersection(sb3);

// what: sort of shuffled strings
if (!globalThis.ss) { const N = 2e5; globalThis.ss = []; for (let i = 0; i < N; i++) ss.push('text number ' + i); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = ss[i]; ss[i] = ss[j]; ss[j] = t; } } ss.toSorted();

// what: in, along 90,000 prototypes
if (!globalThis.pc) { const n = []; const N = 9e4; for (let i = 0; i < N; i++) n.push({ p: i }); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = n[i]; n[i] = n[j]; n[j] = t; } for (let i = 1; i < N; i++) Object.setPrototypeOf(n[i - 1], n[i]); globalThis.pc = n[0]; } for (let i = 0; i < 10; i++) 'nothing' in pc;

// what: instanceof, along 90,000 prototypes
if (!globalThis.pc) { globalThis.F = function () {}; const n = []; const N = 9e4; for (let i = 0; i < N; i++) n.push({ p: i }); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = n[i]; n[i] = n[j]; n[j] = t; } for (let i = 1; i < N; i++) Object.setPrototypeOf(n[i - 1], n[i]); globalThis.pc = n[0]; } for (let i = 0; i < 10; i++) pc instanceof F;

// what: isPrototypeOf, along 90,000 prototypes
if (!globalThis.pc) { globalThis.F = {}; const n = []; const N = 9e4; for (let i = 0; i < N; i++) n.push({ p: i }); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = n[i]; n[i] = n[j]; n[j] = t; } for (let i = 1; i < N; i++) Object.setPrototypeOf(n[i - 1], n[i]); globalThis.pc = n[0]; } for (let i = 0; i < 10; i++) F.isPrototypeOf(pc);

// what: setPrototypeOf, along 90,000 prototypes
if (!globalThis.pc) { globalThis.F = {}; const n = []; const N = 9e4; for (let i = 0; i < N; i++) n.push({ p: i }); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = n[i]; n[i] = n[j]; n[j] = t; } for (let i = 1; i < N; i++) Object.setPrototypeOf(n[i - 1], n[i]); globalThis.pc = n[0]; } for (let i = 0; i < 10; i++) { Object.setPrototypeOf(F, pc); Object.setPrototypeOf(F, null); }

// what: writes, along 90,000 prototypes
if (!globalThis.pc) { globalThis.F = {}; const n = []; const N = 9e4; for (let i = 0; i < N; i++) n.push({ p: i }); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = n[i]; n[i] = n[j]; n[j] = t; } for (let i = 1; i < N; i++) Object.setPrototypeOf(n[i - 1], n[i]); globalThis.pc = n[0]; } for (let i = 0; i < 10; i++) { const o = Object.create(pc); o.x = 1; }

// what: chains of 8 prototypes
if (!globalThis.pcs) { const n = []; const N = 9e4; for (let i = 0; i < N; i++) n.push({ p: i }); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = n[i]; n[i] = n[j]; n[j] = t; } globalThis.pcs = []; for (let i = 0; i < N; i++) if (i % 8) Object.setPrototypeOf(n[i - 1], n[i]); else pcs.push(n[i]); } pcs.forEach((p) => p.nothing);

// what: chains of 2 prototypes
if (!globalThis.pcs) { const n = []; const N = 9e4; for (let i = 0; i < N; i++) n.push({ p: i }); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = n[i]; n[i] = n[j]; n[j] = t; } globalThis.pcs = []; for (let i = 0; i < N; i++) if (i % 2) Object.setPrototypeOf(n[i - 1], n[i]); else pcs.push(n[i]); } pcs.forEach((p) => p.nothing);

// what: Set.isDisjointFrom
if (!globalThis.sa) { globalThis.sa = new Set(); globalThis.sb = new Set(); for (let i = 0; i < 2e5; i++) { sa.add(i * 7919 % 400009); sb.add(400009 + i * 104729 % 400009); } } sa.isDisjointFrom(sb);

// what: Set.difference
if (!globalThis.sa) { globalThis.sa = new Set(); globalThis.sb = new Set(); for (let i = 0; i < 2e5; i++) { sa.add(i * 7919 % 400009); sb.add(i * 104729 % 400009); } } sb.isSupersetOf(sa); sa.difference(sb);

// what: gc, shapes all over the heap
if (!globalThis.gc1) { const n = []; const N = 9e4; for (let i = 0; i < N; i++) n.push({ p: null }); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = n[i]; n[i] = n[j]; n[j] = t; } for (let i = 1; i < N; i++) Object.setPrototypeOf(n[i - 1], n[i]); globalThis.gc1 = n[0]; } for (let i = 0; i < 2e5; i++) { const a = {}; a.a = a; }

// what: properties of 90,000 shapes
if (!globalThis.hd) { const n = []; const N = 9e4; for (let i = 0; i < N; i++) n.push(Object.setPrototypeOf({ n: null }, {})); let x = 1; for (let i = N - 1; i > 0; i--) { x = (x * 1103515245 + 12345) & 0x7fffffff; const j = x % i, t = n[i]; n[i] = n[j]; n[j] = t; } for (let i = 1; i < N; i++) n[i - 1].n = n[i]; n[N - 1].n = n[0]; globalThis.hd = n[0]; } (() => { let p = hd; for (let i = 0; i < 1e4; i++) p = p.n.n.n.n.n.n.n.n.n.n.n.n.n.n.n.n.n.n.n.n; })();

// what: objects whose keys no other has
{ globalThis.F = {}; const n = []; const N = 2e4; for (let i = 0; i < N; i++) n.push({ ['p' + i]: 1 }); }

// what: shapes that change
globalThis.F ??= {}; if (!globalThis.as) { globalThis.as = []; for (let i = 0; i < 2e4; i++) { as.push({ ['q' + i]: 1, a: 1, b: 2 }); } } for (const o of as) { delete o.a; o.a = 1; }

// what: shapes that come back
globalThis.F ??= {}; if (!globalThis.as) { globalThis.as = []; for (let i = 0; i < 2e4; i++) { as.push({ ['q' + i]: 1 }); } } for (let i = 0; i < 2e4; i++) ({ ['q' + i]: 1 });
