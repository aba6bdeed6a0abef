//# await gives a Response
const r = await fetch('http://a.example/json');
same([r.status, r.ok, r.statusText, r.url, r.redirected, r.contentType], [200, true, 'OK', 'http://a.example/json', false, 'application/json']);
same(r instanceof Response, true);
same(r.text() instanceof Promise, true);
same(r.json() instanceof Promise, true);
same(await r.json(), { n: 1, s: 'ü' });
same(await r.text(), '{"n":1,"s":"ü"}');
same([...await r.bytes()].length, 16);
same((await r.arrayBuffer()) instanceof ArrayBuffer, true);
same((await r.clone().json()).n, 1);
same(r.headers.get('Content-TYPE'), 'application/json');
same(r.headers.has('x-none'), false);
same(r.headers.get('x-none'), null);
same([...r.headers].some(([name, value]) => name === 'x-list' && value === '1, 2'), true);
same([...r.headers.entries()].length, [...r.headers.keys()].length);

//# older tools use what fetch returns as a response
const r = fetch('http://a.example/json');
same(r.status, 200);
same(r.ok, true);
same(r.json(), { n: 1, s: 'ü' });
same(r.text(), '{"n":1,"s":"ü"}');
same(r.headers.get('content-type'), 'application/json');
same(fetch('http://a.example/json').json().n, 1);
same(r.clone().text().length, 15);
same(r.bytes() instanceof Uint8Array, true);
same(r.arrayBuffer().byteLength, 16);
const awaited = await r;
same([awaited.status, await awaited.text()], [200, '{"n":1,"s":"ü"}']);

//# bytes are copies
const r = fetch('http://a.example/json');
r.bytes()[0] = 0;
new Uint8Array(r.arrayBuffer())[0] = 0;
same(r.text()[0], '{');

//# many overlap
const all = [];
for (let i = 0; i < 20; i++) all.push(fetch('http://a.example/slow?' + i));
const texts = await Promise.all(all.map(async (r) => (await r).text()));
same(texts.length, 20);
same(texts[19], 'slow 19');
same(await (await Promise.race([fetch('http://a.example/slow?1'), fetch('http://a.example/json')])).json(), { n: 1, s: 'ü' });

//# mixed: some waited for, some used at once
const late = fetch('http://a.example/slow?late');
const now = fetch('http://a.example/json').json();
same(now.n, 1);
same(await (await late).text(), 'slow late');

//# what is sent
const sent = async (init, url = 'http://a.example/echo') => (await fetch(url, init)).json();
same((await sent()).method, 'GET');
let e = await sent({ method: 'post', body: 'grüße', headers: { 'X-A': 1 } });
same([e.method, e.body, e.header['X-A'][0], e.header['Content-Type'][0]], ['POST', 'grüße', '1', 'text/plain;charset=UTF-8']);
e = await sent({ method: 'POST', body: new Uint8Array([65, 66]).subarray(1), headers: [['Content-Type', 'x/y']] });
same([e.body, e.header['Content-Type'][0]], ['B', 'x/y']);
same((await sent({ method: 'POST', body: [72, 105] })).body, 'Hi');
same((await sent({ method: 'POST', body: new Uint8Array([72, 105]).buffer })).body, 'Hi');
same((await sent({ method: 'POST', body: '' })).body, '');
same((await sent({ method: 'POST', body: new Uint8Array(0) })).body, '');
const h = new Headers({ 'x-b': '1' });
h.append('X-B', '2');
same((await sent({ headers: h })).header['X-B'], ['1', '2']);
const form = new FormData();
form.append('na"me', 'v\n1');
form.append('b', '----glovebox-form-0');
e = await sent({ method: 'POST', body: form });
same(e.header['Content-Type'][0], 'multipart/form-data; boundary=----glovebox-form-1');
same(e.body, '------glovebox-form-1\r\nContent-Disposition: form-data; name="na%22me"\r\n\r\nv\r\n1\r\n------glovebox-form-1\r\nContent-Disposition: form-data; name="b"\r\n\r\n----glovebox-form-0\r\n------glovebox-form-1--\r\n');
if (typeof URLSearchParams === 'undefined') globalThis.URLSearchParams = class { toString() { return 'a=1&b=%C3%BC'; } };
e = await sent({ method: 'POST', body: new URLSearchParams([['a', '1'], ['b', 'ü']]) });
same([e.body, e.header['Content-Type'][0]], ['a=1&b=%C3%BC', 'application/x-www-form-urlencoded;charset=UTF-8']);
throwing(() => fetch('http://a.example/', { method: 'POST', body: { a: 1 } }), 'TypeError');
throwing(() => fetch('http://a.example/', { headers: { 'a b': 'c' } }), 'TypeError');
throwing(() => fetch('http://a.example/', { signal: {} }), 'TypeError');
throwing(() => new AbortSignal(), 'TypeError');

//# text is sliced
const cut = (init) => { const r = fetch('http://a.example/json', init); return [r.text(), r.truncated, r.nextStartIndex]; };
same(cut({ maxLength: 4 }), ['{"n"', true, 4]);
same(cut({ startIndex: 4, maxLength: 4 }), [':1,"', true, 8]);
same(cut({ startIndex: 11, maxLength: 4 }), ['"ü"}', false, null]);
same(cut({ startIndex: 100 }), ['', false, null]);
same(cut({ startIndex: -1, maxLength: 0 })[0].length, 15);
same(fetch('http://a.example/emoji', { maxLength: 1 }).text(), '😀');
same(fetch('http://a.example/json', { maxLength: 4 }).json().n, 1);

//# a refusal without I/O is thrown at once
const e = throwing(() => fetch('http://127.0.0.1/'), 'Error');
same([e.kind, e.helper, e.reason], ['SECURITY', 'fetch', 'literal-private-ip']);
same(throwing(() => fetch('ftp://x/'), 'Error').reason, 'unsupported-scheme');
for (const nothing of [undefined, null, '']) same([throwing(() => fetch(nothing), 'Error').kind, throwing(() => fetch(nothing), 'Error').reason], ['INVALID_INPUT', 'missing-input']);
same(throwing(() => fetch('http://a.example/', { body: 'x' }), 'Error').reason, 'body-not-allowed');

//# a failure that took I/O rejects, or is thrown at the first use
const p = fetch('http://gone.example/');
same(await p.catch((e) => [e.kind, e.reason]), ['SECURITY', 'dns-resolution-failed']);
same(throwing(() => p.status, 'Error').reason, 'dns-resolution-failed');
same(throwing(() => fetch('http://gone.example/').text(), 'Error').reason, 'dns-resolution-failed');
fetch('http://gone.example/'); // nobody cares
same(throwing(() => fetch('http://a.example/emoji').json(), 'Error').reason, 'invalid-json');
same(await (await fetch('http://a.example/emoji')).json().catch((e) => e.kind), 'HELPER_RUNTIME');

//# redirects
same((await fetch('http://a.example/redirect?/json')).redirected, true);
same((await fetch('http://a.example/redirect?/json', { redirect: 'manual' })).status, 302);
same(await fetch('http://a.example/redirect?/json', { redirect: 'error' }).catch((e) => e.reason), 'redirected');
same(await fetch('http://a.example/redirect?http://10.0.0.1/').catch((e) => e.reason), 'literal-private-ip');

//# abort
const c = new AbortController();
let told = 0;
c.signal.addEventListener('abort', () => told++);
c.signal.onabort = () => told++;
const p = fetch('http://a.example/hang', { signal: c.signal });
c.abort();
same(await p.catch((e) => e.name), 'AbortError');
same([told, c.signal.aborted], [2, true]);
throwing(() => c.signal.throwIfAborted(), 'AbortError');
throwing(() => fetch('http://a.example/json', { signal: c.signal }), 'AbortError');
const reason = new Error('mine');
same(await fetch('http://a.example/hang', { signal: AbortSignal.any([new AbortController().signal, AbortSignal.timeout(10)]) }).catch((e) => e.name), 'TimeoutError');
throwing(() => fetch('http://a.example/hang', { signal: AbortSignal.abort(reason) }), 'Error');
const late = AbortSignal.timeout(20);
throwing(() => fetch('http://a.example/hang', { signal: late }).text(), 'TimeoutError'); // the host is heard first
same([late.aborted, late.reason.name], [true, 'TimeoutError']);
const first = AbortSignal.any([AbortSignal.timeout(60000), AbortSignal.timeout(20)]);
throwing(() => fetch('http://a.example/hang', { signal: first }).text(), 'TimeoutError');
same(throwing(() => fetch('http://a.example/hang', { signal: AbortSignal.timeout(60000), timeout: 20 }).text(), 'Error').reason, 'timeout');
same(await fetch('http://a.example/hang', { timeout: 20 }).catch((e) => e.reason), 'timeout');

//# an abort after the answer changes nothing
const c = new AbortController();
const r = await fetch('http://a.example/json', { signal: c.signal });
c.abort();
same((await r.json()).n, 1);

//# a tool that tampers with the built-ins hurts itself alone
Promise.prototype.then = () => { throw new Error('then'); };
JSON.parse = () => 'parsed';
Array.prototype.push = () => { throw new Error('push'); };
Uint8Array.prototype.slice = () => 'sliced';
Reflect.apply = () => 'applied';
String.prototype.toLowerCase = () => 'lower';
const r = fetch('http://a.example/json');
same(r.text(), '{"n":1,"s":"ü"}');
same(r.headers.get('content-type'), 'application/json');

//# what the code does not mention is there as well
const r = globalThis['fet' + 'ch']('http://a.example/json');
same(r['js' + 'on']().n, 1);
same(new globalThis['Abort' + 'Controller']()['sig' + 'nal'].aborted, false);
