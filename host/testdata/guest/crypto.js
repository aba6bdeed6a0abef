//# randomness
same([/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()), crypto.randomUUID() !== crypto.randomUUID()], [true, true]);
const list = new Uint32Array(8);
same([crypto.getRandomValues(list) === list, list.some((n) => n > 0xffff), crypto.getRandomValues(new Uint8Array(0)).length, crypto.getRandomValues(new BigInt64Array(2)).length], [true, true, 0, 2]);
const part = new Uint8Array(64);
crypto.getRandomValues(part.subarray(32));
same([part.slice(0, 32).every((n) => n === 0), part.slice(32).some((n) => n !== 0)], [true, true]);
for (const [value, reason] of [[new Uint8Array(65537), 'array-too-large'], [[1], 'not-array'], [undefined, 'not-array'], [new Float64Array(1), 'not-array'], [new DataView(new ArrayBuffer(1)), 'not-array']]) {
  const e = throwing(() => crypto.getRandomValues(value), 'Error');
  same([e.kind, e.reason], ['INVALID_INPUT', reason]);
}

//# digests are bytes in every way
const d = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc'));
same([d instanceof Uint8Array, Array.from(d).length, [...d][0], d.length, d.byteLength, new Uint8Array(d.buffer).length, JSON.parse(JSON.stringify(d)).length, d.map((b) => b)[0]], [true, 32, 186, 32, 32, 32, 32, 186]);
same((await crypto.subtle.digest({ name: 'sha-1' }, new ArrayBuffer(0))).length, 20);
same((await crypto.subtle.digest('SHA-512', [1, 2, 3])).length, 64);
for (const [run, reason] of [[() => crypto.subtle.digest('MD5', d), 'unsupported-algorithm'], [() => crypto.subtle.digest(), 'missing-args'], [() => crypto.subtle.digest('SHA-1'), 'missing-args'], [() => crypto.subtle.sign('HMAC'), 'missing-args'], [() => crypto.subtle.sign('HMAC', {}, d), 'invalid-key'], [() => crypto.subtle.digest({}, d), 'missing-args'], [() => crypto.subtle.digest('SHA-1', 'text'), 'invalid-argument']]) {
  const promise = run();
  same(promise instanceof Promise, true);
  const e = await promise.then(() => ({}), (error) => error);
  same([e instanceof Error, e.kind, e.helper, e.reason], [true, 'INVALID_INPUT', 'crypto.subtle', reason]);
}

//# a JWT, as tools make and check it
const text = (s) => new TextEncoder().encode(s);
const url = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const key = await crypto.subtle.importKey('raw', text('your-256-bit-secret'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
const head = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ';
const signature = await crypto.subtle.sign('HMAC', key, text(head));
same(url(signature), 'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c');
same([await crypto.subtle.verify('HMAC', key, signature, text(head)), await crypto.subtle.verify('HMAC', key, signature, text(head + '.'))], [true, false]);
same([key instanceof CryptoKey, key.type, key.extractable, key.algorithm, key.usages, String(key)], [true, 'secret', false, { name: 'HMAC', hash: { name: 'SHA-256' }, length: 152 }, ['sign', 'verify'], '[object CryptoKey]']);
same((await crypto.subtle.exportKey('raw', key).catch((e) => e)).reason, 'invalid-access');
same((await crypto.subtle.sign('HMAC', {}, text('x')).catch((e) => e)).reason, 'invalid-key');
same((await crypto.subtle.sign('HMAC', Object.create(CryptoKey.prototype), text('x')).catch((e) => e)).reason, 'invalid-key');
throwing(() => new CryptoKey(), 'TypeError');

//# a password makes a key that keeps a secret
const password = await crypto.subtle.importKey('raw', new TextEncoder().encode('pw'), 'PBKDF2', false, ['deriveKey', 'deriveBits']);
const salt = crypto.getRandomValues(new Uint8Array(16));
const iv = crypto.getRandomValues(new Uint8Array(12));
const key = await crypto.subtle.deriveKey({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 1000 }, password, { name: 'AES-GCM', length: 256 }, true, ['encrypt', 'decrypt']);
const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: salt }, key, new TextEncoder().encode('hi'));
same([sealed.length, new TextDecoder().decode(await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: salt }, key, sealed)), (await crypto.subtle.exportKey('jwk', key)).alg ?? 'none', (await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-512', salt, iterations: 1 }, password, 64)).length], [18, 'hi', 'none', 8]);
sealed[0] ^= 1;
const e = await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: salt }, key, sealed).catch((error) => error);
same([e.kind, e.reason], ['HELPER_RUNTIME', 'operation-failed']);

//# pairs of keys
const { publicKey, privateKey } = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits', 'deriveKey']);
const other = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits']);
const one = await crypto.subtle.deriveBits({ name: 'ECDH', public: other.publicKey }, privateKey, 256);
const two = await crypto.subtle.deriveBits({ name: 'ECDH', public: publicKey }, other.privateKey, null);
same([[...one], publicKey.type, privateKey.usages, publicKey.usages], [[...two], 'public', ['deriveKey', 'deriveBits'], []]);
const jwk = await crypto.subtle.exportKey('jwk', privateKey);
same([jwk.kty, jwk.crv, (await crypto.subtle.importKey('jwk', jwk, { name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])).type], ['EC', 'P-256', 'private']);
const spki = await crypto.subtle.exportKey('spki', publicKey);
same(JSON.parse(JSON.stringify(spki)), Array.from(spki));
same((await crypto.subtle.importKey('spki', spki.buffer, { name: 'ECDH', namedCurve: 'P-256' }, true, [])).type, 'public');
const rsa = await crypto.subtle.generateKey({ name: 'RSASSA-PKCS1-v1_5', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, false, ['sign', 'verify']);
same([[...rsa.publicKey.algorithm.publicExponent], rsa.publicKey.algorithm.modulusLength, (await crypto.subtle.sign('RSASSA-PKCS1-v1_5', rsa.privateKey, spki)).length], [[1, 0, 1], 1024, 128]);
const wrapper = await crypto.subtle.generateKey({ name: 'AES-CBC', length: 128 }, false, ['wrapKey', 'unwrapKey']);
const wrapped = await crypto.subtle.wrapKey('pkcs8', other.privateKey, wrapper, { name: 'AES-CBC', iv: new Uint8Array(16) });
same((await crypto.subtle.unwrapKey('pkcs8', wrapped, wrapper, { name: 'AES-CBC', iv: new Uint8Array(16) }, { name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits'])).type, 'private');
