//# URL reads
const u = new URL('https://user:pa%20ss@EXAMPLE.com:8443/a/../b c?x=1&y=2#top');
same([u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash], ['https://user:pa%20ss@example.com:8443/b%20c?x=1&y=2#top', 'https://example.com:8443', 'https:', 'user', 'pa%20ss', 'example.com:8443', 'example.com', '8443', '/b%20c', '?x=1&y=2', '#top']);
same([String(u) === u.href, JSON.stringify({ u }), new URL('../c?d', 'http://a/b/x/y').href, new URL('//h', new URL('http://a')).href, new URL('http://münchen.de/ä').href], [true, `{"u":"${u.href}"}`, 'http://a/b/c?d', 'http://h/', 'http://xn--mnchen-3ya.de/%C3%A4']);
same([URL.canParse('x:y'), URL.canParse('y'), URL.parse('y'), URL.parse('y', 'http://a').href], [true, false, null, 'http://a/y']);
for (const [run, reason] of [[() => new URL(), 'missing-input'], [() => new URL(''), 'missing-input'], [() => new URL('nope'), 'invalid-url'], [() => new URL('x', 'y'), 'invalid-url'], [() => new URL('http://[::g]'), 'invalid-url'], [() => { u.href = 'nope'; }, 'invalid-url']]) {
  const e = throwing(run, 'TypeError');
  same([e.kind, e.helper, e.reason], ['INVALID_INPUT', 'URL', reason]);
}

//# URL changes
const u = new URL('http://a.example/p?x=1#h');
u.protocol = 'https'; u.port = '8080'; u.pathname = '/ä b'; u.hash = ''; u.hostname = 'b.example'; u.username = 'me';
same(u.href, 'https://me@b.example:8080/%C3%A4%20b?x=1');
const p = u.searchParams;
p.append('y', 'a b');
same([u.search, u.searchParams === p], ['?x=1&y=a+b', true]);
u.search = '?q=%20';
same([p.get('q'), p.has('x'), [...p]], [' ', false, [['q', ' ']]]);
p.delete('q');
same(u.href, 'https://me@b.example:8080/%C3%A4%20b');
u.port = 'x'; u.protocol = 'nope:';
same(u.port, '8080');

//# URLSearchParams
same([new URLSearchParams('?a=1&b=2&a=3').getAll('a'), new URLSearchParams({ a: 1, b: 'x y' }).toString(), new URLSearchParams([['a', 'b'], ['c', 'd']]).size, new URLSearchParams(new URLSearchParams('z=é')).toString(), new URLSearchParams(new Map([['k', 'v']])).get('k'), String(new URLSearchParams())], [['1', '3'], 'a=1&b=x+y', 2, 'z=%C3%A9', 'v', '']);
const p = new URLSearchParams('a=1&b=2&a=4');
p.set('a', '9'); p.set('n', '=&'); p.delete('b', 'x');
same([p.toString(), p.has('a', '9'), p.has('a', '1'), p.get('none'), [...p.keys()], [...p.values()]], ['a=9&b=2&n=%3D%26', true, false, null, ['a', 'b', 'n'], ['9', '2', '=&']]);
p.sort();
const seen = [];
p.forEach((value, name, all) => seen.push(name, value, all === p));
same(seen, ['a', '9', true, 'b', '2', true, 'n', '=&', true]);
const sorted = new URLSearchParams('z=1&\ufb03=2&🌈=3&z=0');
sorted.sort();
same([...sorted.keys()], ['z', 'z', '🌈', '\ufb03']);
throwing(() => new URLSearchParams([['a']]), 'TypeError');
same(new URLSearchParams('name=Jin+Hu&x=\ud800').get('x'), '\ufffd');

//# Headers
const h = new Headers({ B: '2', a: ' 1 ' });
h.append('b', '3');
h.append('Set-Cookie', 'x=1, y');
h.append('set-cookie', 'z=2');
same([[...h], h.get('B'), h.has('c'), h.get('c'), h.getSetCookie(), new Headers(h).get('a'), [...new Headers([['x', 'y']]).keys()]], [[['a', '1'], ['b', '2, 3'], ['set-cookie', 'x=1, y'], ['set-cookie', 'z=2']], '2, 3', false, null, ['x=1, y', 'z=2'], '1', ['x']]);
h.set('b', '4');
h.delete('A');
const seen = [];
h.forEach((value, name) => seen.push(name + value));
same(seen[0], 'b4');
for (const bad of [() => new Headers({ 'a b': 'x' }), () => new Headers({ a: 'x\r\nb: y' }), () => new Headers([['a']]), () => new Headers('a'), () => h.append('x', '가'), () => h.append('', 'x')]) throwing(bad, 'TypeError');

//# FormData
const f = new FormData();
f.append('a', 1);
f.append('a', 'x');
f.append('file', new Blob(['data']), 'n.txt');
same([f.get('a'), f.getAll('a'), f.has('b'), [...f.keys()], f.get('file') instanceof Blob, await f.get('file').text()], ['1', ['1', 'x'], false, ['a', 'a', 'file'], true, 'data']);
f.set('a', 'only');
f.delete('file');
same([...f], [['a', 'only']]);
throwing(() => f.append('a', 'text', 'name.txt'), 'TypeError');

//# events
const target = new EventTarget();
const seen = [];
const listener = (e) => seen.push(e.type, e.target === target, e.currentTarget === target);
target.addEventListener('x', listener);
target.addEventListener('x', listener);
target.addEventListener('x', { handleEvent(e) { seen.push('object', e.detail); } }, { once: true });
same(target.dispatchEvent(new CustomEvent('x', { detail: 7 })), true);
target.removeEventListener('x', listener);
target.dispatchEvent(new Event('x'));
same(seen, ['x', true, true, 'object', 7]);
target.addEventListener('y', (e) => { e.preventDefault(); e.stopImmediatePropagation(); });
target.addEventListener('y', () => seen.push('not reached'));
same([target.dispatchEvent(new Event('y', { cancelable: true })), seen.length], [false, 5]);
const stop = new AbortController();
target.addEventListener('z', () => seen.push('z'), { signal: stop.signal });
stop.abort();
target.dispatchEvent(new Event('z'));
same(seen.length, 5);
target.addEventListener('bad', () => { throw new Error('mine'); });
target.addEventListener('bad', () => seen.push('after'));
target.dispatchEvent(new Event('bad'));
same(seen[5], 'after');
class Bus extends EventTarget {}
same(new Bus() instanceof EventTarget, true);
throwing(() => target.dispatchEvent({ type: 'x' }), 'TypeError');
throwing(() => new Event(), 'TypeError');
const again = new Event('again');
target.addEventListener('again', () => throwing(() => target.dispatchEvent(again), 'InvalidStateError'));
target.dispatchEvent(again);

//# AbortController and AbortSignal
const c = new AbortController();
const seen = [];
c.signal.onabort = (e) => seen.push('on', e.type);
c.signal.addEventListener('abort', () => seen.push('listener'));
const any = AbortSignal.any([new AbortController().signal, c.signal]);
c.abort();
c.abort('again');
same([seen, c.signal.aborted, c.signal.reason.name, any.aborted, any.reason === c.signal.reason], [['on', 'abort', 'listener'], true, 'AbortError', true, true]);
throwing(() => c.signal.throwIfAborted(), 'AbortError');
same([AbortSignal.abort('why').reason, AbortSignal.any([]).aborted], ['why', false]);
const late = AbortSignal.timeout(1);
await new Promise((resolve) => late.addEventListener('abort', resolve));
same([late.reason.name, c.signal instanceof EventTarget], ['TimeoutError', true]);
throwing(() => new AbortSignal(), 'TypeError');
throwing(() => AbortSignal.any([{}]), 'TypeError');

//# timers, microtasks and performance are there
const order = [];
setTimeout(() => order.push('timer'), 0);
const every = setInterval(() => { order.push('every'); clearInterval(every); }, 1);
clearTimeout(setTimeout(() => order.push('never'), 0));
queueMicrotask(() => order.push('microtask'));
const before = performance.now();
await new Promise((resolve) => setTimeout(resolve, 5));
same([order, performance.now() > before], [['microtask', 'timer', 'every'], true]);

//# Response is made
const r = new Response('{"a":"ü"}', { status: 201, statusText: 'Made', headers: { 'x-a': '1' } });
same([r.status, r.ok, r.statusText, r.url, r.redirected, r.type, r.headers.get('x-a'), r.headers.get('content-type'), r.bodyUsed], [201, true, 'Made', '', false, 'default', '1', 'text/plain;charset=UTF-8', false]);
same([await r.text(), (await r.json()).a, (await r.bytes()).length, (await r.arrayBuffer()).byteLength, (await r.blob()).size, r.bodyUsed], ['{"a":"ü"}', 'ü', 10, 10, 10, true]);
same([(await r.clone().json()).a, r.clone().bodyUsed, Object.prototype.toString.call(r)], ['ü', false, '[object Response]']);
same([await new Response().text(), (await new Response(new Uint8Array([104, 105])).text()), new Response(new Blob(['x'], { type: 'a/b' })).headers.get('content-type')], ['', 'hi', 'a/b']);
const j = Response.json({ n: 1 }, { status: 400 });
same([j.status, j.ok, j.headers.get('content-type'), (await j.json()).n], [400, false, 'application/json', 1]);
same([Response.redirect('http://a.example/x', 301).headers.get('location'), Response.error().status, Response.error().type], ['http://a.example/x', 0, 'error']);
same([...(await new Response(new URLSearchParams('a=1&b=%20')).formData())], [['a', '1'], ['b', ' ']]);
for (const bad of [() => new Response('', { status: 99 }), () => new Response('', { status: 600 }), () => Response.redirect('http://a.example/', 200)]) throwing(bad, 'RangeError');
for (const bad of [() => new Response('x', { status: 204 }), () => Response.json(undefined), () => Response.redirect('nope'), () => new Response({})]) throwing(bad, 'TypeError');

//# Request is made
const q = new Request('http://a.example/p', { method: 'post', body: 'x=1', headers: { 'X-A': '1' } });
same([q.url, q.method, q.headers.get('x-a'), q.headers.get('content-type'), q.redirect, await q.text(), await q.clone().text()], ['http://a.example/p', 'POST', '1', 'text/plain;charset=UTF-8', 'follow', 'x=1', 'x=1']);
same([new Request(q, { method: 'PUT' }).method, await new Request(q, { body: 'y' }).text(), new Request(q).headers.get('x-a')], ['PUT', 'y', '1']);
for (const bad of [() => new Request('nope'), () => new Request('http://a.example/', { body: 'x' }), () => new Request('http://a.example/', { signal: {} })]) throwing(bad, 'TypeError');

//# a body is read in every form
const made = () => new Response('{"n":1}');
same([made().json().n, await made().json().then((v) => v.n), await made().text().then((t) => t.length), made().text().length], [1, 1, 7, 7]);
const read = (r) => r.json();
same([await read(made()).then((v) => v.n), await read(made()).catch(() => 0).then((v) => v.n), await read(made()).finally(() => {}), read(made()).n], [1, 1, { n: 1 }, 1]);
const value = read(made());
same([Object.keys(value), JSON.stringify(value), { ...value }, 'n' in value], [['n'], '{"n":1}', { n: 1 }, true]);
same([(await value) === value, 'then' in value, Object.getOwnPropertyNames(value), 'other'.then], [true, false, ['n'], undefined]);
same(await read(new Response('{"then":1}')), { then: 1 });
same(await Object.freeze(read(made())), { n: 1 });
const text = (r) => r.text();
same([text(made()), await text(made()), await text(made()).then((t) => t + '!'), typeof text(made())], ['{"n":1}', '{"n":1}', '{"n":1}!', 'string']);
value.then = 5;
same(value, { n: 1, then: 5 });

//# File is a Blob with a name
const f = new File(['ab', new Uint8Array([99])], 'a.txt', { type: 'text/plain', lastModified: 7 });
same([f.name, f.size, f.type, f.lastModified, await f.text(), f instanceof Blob, Object.prototype.toString.call(f), new File([], 'x').lastModified > 0], ['a.txt', 3, 'text/plain', 7, 'abc', true, '[object File]', true]);
const form = new FormData();
form.append('f', f);
same([form.get('f').size, f.slice(1).size, f.slice(1) instanceof File], [3, 2, false]);
throwing(() => new File(['x']), 'TypeError');

//# nothing is shared and nothing is transferred
same([typeof SharedArrayBuffer, typeof Atomics], ['undefined', 'undefined']);
same(structuredClone([1], { transfer: [] }), [1]);
same([throwing(() => structuredClone(1, { transfer: [new ArrayBuffer(1)] }), 'DataCloneError').code, throwing(() => structuredClone(() => 1), 'DataCloneError') instanceof DOMException], [25, true]);
