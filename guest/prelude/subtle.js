// installs: crypto.subtle CryptoKey
// needs: crypto.digest crypto.sign crypto.verify crypto.encrypt crypto.decrypt crypto.deriveBits crypto.deriveKey crypto.generateKey crypto.importKey crypto.exportKey crypto.wrapKey crypto.unwrapKey
// after: bytes.js
//
// Web Crypto. Keys stay with the host; a CryptoKey holds the number of one. What is an ArrayBuffer in a browser is a
// Uint8Array here, so that Array.from, for..of and an index work on it too.

const { defineProperty, freeze, isArray, isInteger, fillFrom, parse, push, stringify, toBase64, toWellFormed, Number, String, Symbol, TypeError, Uint8Array } = primordials;
const { of, sent, length } = host.bytes;

const refuse = (reason, message) => host.refuse('INVALID_INPUT', 'crypto.subtle', reason, message);

let making = null; // what the host said of the key that is being made, which no tool can make
let handleOf;

class CryptoKey {
  #handle;
  #type;
  #extractable;
  #algorithm;
  #usages;
  constructor() {
    if (making === null) throw new TypeError('a CryptoKey comes from crypto.subtle');
    const { handle, type, extractable, algorithm, usages } = making;
    making = null;
    if (algorithm.publicExponent !== undefined) algorithm.publicExponent = Uint8Array.fromBase64(algorithm.publicExponent);
    this.#handle = handle;
    this.#type = type;
    this.#extractable = extractable;
    this.#algorithm = freeze(algorithm);
    this.#usages = freeze(usages);
  }
  get type() { return this.#type; }
  get extractable() { return this.#extractable; }
  get algorithm() { return this.#algorithm; }
  get usages() { return this.#usages; }
  get [Symbol.toStringTag]() { return 'CryptoKey'; }
  static {
    handleOf = (key) => {
      if (key === undefined) throw refuse('missing-args', 'the key is missing');
      if (typeof key !== 'object' || key === null || !(#handle in key)) throw refuse('invalid-key', 'a CryptoKey is needed');
      return key.#handle;
    };
  }
}

function keyOf(made) {
  making = made;
  return new CryptoKey();
}

function bytesOf(value, what) {
  if (value === undefined || value === null) throw refuse('missing-args', `${what} is missing`);
  const bytes = of(value);
  if (bytes === undefined) throw refuse('invalid-argument', `${what} is not an ArrayBuffer or a view of one`);
  return bytes;
}

const byteFields = ['iv', 'counter', 'additionalData', 'salt', 'info', 'label', 'publicExponent'];
const numberFields = ['length', 'tagLength', 'iterations', 'saltLength', 'modulusLength'];

// algorithmOf reads an algorithm as the host has it: bytes as base64, a key as its number.
function algorithmOf(value) {
  if (value === undefined || value === null) throw refuse('missing-args', 'no algorithm is named');
  const out = { __proto__: null };
  if (typeof value !== 'object') {
    out.name = toWellFormed(String(value));
    return out;
  }
  if (value.name === undefined) throw refuse('missing-args', 'the algorithm has no name');
  out.name = toWellFormed(String(value.name));
  if (value.hash !== undefined) out.hash = toWellFormed(String(typeof value.hash === 'object' && value.hash !== null ? value.hash.name : value.hash));
  if (value.namedCurve !== undefined) out.namedCurve = toWellFormed(String(value.namedCurve));
  if (value.public !== undefined) out.public = handleOf(value.public);
  for (let n = 0; n < byteFields.length; n++) {
    const field = value[byteFields[n]];
    if (field !== undefined) out[byteFields[n]] = toBase64(bytesOf(field, byteFields[n]));
  }
  for (let n = 0; n < numberFields.length; n++) {
    if (value[numberFields[n]] !== undefined) out[numberFields[n]] = integer(value[numberFields[n]], numberFields[n]);
  }
  return out;
}

function integer(value, what) {
  const n = Number(value);
  if (!isInteger(n) || n < 0 || n > 0xffffffff) throw refuse('invalid-parameter', `${what} is not a whole number from 0 to 4294967295`);
  return n;
}

// usagesOf reads what a key is for. Without a list it is for everything its algorithm can do.
function usagesOf(value) {
  if (value === undefined) return undefined;
  if (!isArray(value)) throw refuse('invalid-argument', 'usages are a list');
  const out = [];
  for (let n = 0; n < value.length; n++) push(out, toWellFormed(String(value[n])));
  return out;
}

const ask = (op, fields, blob) => host.call(op, stringify(fields), sent(blob));
// askBytes returns bytes. In JSON, as the result of a tool, they are a list of numbers.
const askBytes = (op, fields, blob) => shown(ask(op, fields, blob)[1]);
function shown(bytes) {
  defineProperty(bytes, 'toJSON', { __proto__: null, value: listed, configurable: true, writable: true });
  return bytes;
}
function listed() {
  const list = [];
  for (let n = 0; n < this.length; n++) push(list, this[n]);
  return list;
}
const askKey = (op, fields, blob) => {
  const made = parse(ask(op, fields, blob));
  return made.privateKey === undefined ? keyOf(made) : { publicKey: keyOf(made.publicKey), privateKey: keyOf(made.privateKey) };
};

// keyData is what is imported: a JWK goes as JSON, everything else as bytes.
function keyData(format, data) {
  if (format !== 'jwk') return { __proto__: null, blob: bytesOf(data, 'the key') };
  if (typeof data !== 'object' || data === null) throw refuse('invalid-key', 'a JWK is an object');
  return { __proto__: null, jwk: data };
}

// Every method is async, so that whatever is wrong rejects the promise.
class SubtleCrypto {
  async digest(algorithm, data) {
    return askBytes('crypto.digest', { __proto__: null, algorithm: algorithmOf(algorithm) }, bytesOf(data, 'the data'));
  }
  async sign(algorithm, key, data) {
    return askBytes('crypto.sign', { __proto__: null, algorithm: algorithmOf(algorithm), key: handleOf(key) }, bytesOf(data, 'the data'));
  }
  async verify(algorithm, key, signature, data) {
    const fields = { __proto__: null, algorithm: algorithmOf(algorithm), key: handleOf(key) };
    const first = bytesOf(data, 'the data');
    const second = bytesOf(signature, 'the signature');
    const both = new Uint8Array(length(first) + length(second));
    fillFrom(both, first);
    fillFrom(both, second, length(first));
    fields.second = length(second);
    return parse(ask('crypto.verify', fields, both));
  }
  async encrypt(algorithm, key, data) {
    return askBytes('crypto.encrypt', { __proto__: null, algorithm: algorithmOf(algorithm), key: handleOf(key) }, bytesOf(data, 'the data'));
  }
  async decrypt(algorithm, key, data) {
    return askBytes('crypto.decrypt', { __proto__: null, algorithm: algorithmOf(algorithm), key: handleOf(key) }, bytesOf(data, 'the data'));
  }
  async deriveBits(algorithm, key, bits) {
    const fields = { __proto__: null, algorithm: algorithmOf(algorithm), key: handleOf(key) };
    if (bits !== undefined && bits !== null) fields.length = integer(bits, 'length');
    return askBytes('crypto.deriveBits', fields);
  }
  async deriveKey(algorithm, key, derived, extractable, usages) {
    return askKey('crypto.deriveKey', {
      __proto__: null, algorithm: algorithmOf(algorithm), key: handleOf(key), derived: algorithmOf(derived), extractable: !!extractable, usages: usagesOf(usages),
    });
  }
  async generateKey(algorithm, extractable, usages) {
    return askKey('crypto.generateKey', { __proto__: null, algorithm: algorithmOf(algorithm), extractable: !!extractable, usages: usagesOf(usages) });
  }
  async importKey(format, data, algorithm, extractable, usages) {
    format = toWellFormed(String(format));
    const { blob, jwk } = keyData(format, data);
    return askKey('crypto.importKey', {
      __proto__: null, format, algorithm: algorithmOf(algorithm), jwk, extractable: !!extractable, usages: usagesOf(usages),
    }, blob);
  }
  async exportKey(format, key) {
    const reply = ask('crypto.exportKey', { __proto__: null, format: toWellFormed(String(format)), key: handleOf(key) });
    return typeof reply === 'string' ? parse(reply) : shown(reply[1]);
  }
  async wrapKey(format, key, wrapping, algorithm) {
    return askBytes('crypto.wrapKey', {
      __proto__: null, format: toWellFormed(String(format)), key: handleOf(key), wrapping: handleOf(wrapping), algorithm: algorithmOf(algorithm),
    });
  }
  async unwrapKey(format, data, wrapping, algorithm, derived, extractable, usages) {
    return askKey('crypto.unwrapKey', {
      __proto__: null, format: toWellFormed(String(format)), wrapping: handleOf(wrapping), algorithm: algorithmOf(algorithm),
      derived: algorithmOf(derived), extractable: !!extractable, usages: usagesOf(usages),
    }, bytesOf(data, 'the wrapped key'));
  }
  get [Symbol.toStringTag]() { return 'SubtleCrypto'; }
}

host.install('CryptoKey', CryptoKey);
host.install('crypto.subtle', new SubtleCrypto());
