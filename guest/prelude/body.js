// installs:
// needs: encoding.encode encoding.decode
// after: bytes.js headers.js form.js blob.js
//
// Bodies: what is sent, and what the readers of a response or request give.
//
// Older tools use what json() and text() return at once, programs for browsers chain on it. Where the text of the
// program shows that a call wants a promise (prelude.UseOf), it gets one. Everywhere else a reader gives the value
// itself: `await`, `return` and a callback of `then` make no difference between a value and a promise of it. If the
// program chains anywhere, the value can be chained on as well, once: it has then, catch and finally that do not show
// and that go when one is called, as `await` does.

const {
  apply, defineProperty, hasOwn, indexOf, isArray, isView, getOwnPropertyDescriptor, setAdd, setHas, split, substring, then, toLowerCase, toWellFormed, uncurry,
  weakDelete, weakHas, weakSet, ArrayBuffer, Error, Promise, Set, String, TypeError, Uint8Array, WeakMap,
} = primordials;
const { FormData, multipart } = host.form;
const { Blob, bytesOf } = host.blobs;
const { of, sent } = host.bytes;

// toSend returns what is sent and its type, each undefined if there is none.
function toSend(value) {
  const is = (body, bytes, type) => ({ __proto__: null, body, bytes, type });
  if (value === undefined || value === null) return is();
  if (typeof value === 'object') {
    if (value instanceof FormData) {
      const form = multipart(value);
      return is(form.body, form.bytes, form.type);
    }
    if (typeof URLSearchParams === 'function' && value instanceof URLSearchParams) {
      return is(String(value), undefined, 'application/x-www-form-urlencoded;charset=UTF-8');
    }
    const blob = bytesOf(value);
    if (blob !== undefined) return is(undefined, blob, value.type === '' ? undefined : value.type);
    if (value instanceof ArrayBuffer || isArray(value)) return is(undefined, new Uint8Array(value));
    if (isView(value)) return is(undefined, of(value));
    if (!(value instanceof String)) throw new TypeError('a body is a string, bytes, a Blob, URLSearchParams or FormData');
  }
  return is(toWellFormed(String(value)), undefined, 'text/plain;charset=UTF-8');
}

const bytesOfText = (text) => host.call('encoding.encode', text)[1];
const utf8 = '{"label":"utf-8","id":0}';
const textOfBytes = (bytes) => (bytes === undefined ? '' : host.call('encoding.decode', utf8, sent(bytes)));

// promised reports whether the call of the tool that is running now wants a promise: its place is looked up in a
// stack, whose first frame that is not ours is the tool's.
function promised() {
  const places = host.use.promised;
  if (places === '') return false;
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = 12;
  if (prepareStackTrace !== undefined) Error.prepareStackTrace = undefined;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  if (prepareStackTrace !== undefined) Error.prepareStackTrace = prepareStackTrace;
  if (typeof stack !== 'string') return false;
  const frames = split(stack, '\n');
  for (let n = 0; n < frames.length; n++) {
    if (indexOf(frames[n], '(prelude/') >= 0) continue;
    const at = indexOf(frames[n], ' (');
    return at >= 0 && indexOf(places, `\n${substring(frames[n], at + 1)}\n`) >= 0;
  }
  return false;
}

const values = new WeakMap(); // objects that can be chained on
const texts = new Set(); // and texts

const members = ['then', 'catch', 'finally'];

// promiseOf makes a promise of a value that can be chained on, which then no longer can.
function promiseOf(value) {
  if (typeof value === 'object') {
    weakDelete(values, value);
    for (let n = 0; n < members.length; n++) delete value[members[n]];
  }
  return new Promise((resolve) => resolve(value));
}

function chainOn(name) {
  const method = uncurry(Promise.prototype[name]);
  const chain = { [name](a, b) { 'use strict'; return method(promiseOf(this), a, b); } }[name];
  const hidden = (isOne) => ({
    __proto__: null, configurable: true, enumerable: false,
    get() { 'use strict'; return isOne(this) ? chain : undefined; },
    set(value) { 'use strict'; defineProperty(this, name, { __proto__: null, value, enumerable: true, writable: true, configurable: true }); },
  });
  return { __proto__: null, name, ofObject: hidden((value) => weakHas(values, value)), ofText: hidden((text) => typeof text === 'string' && setHas(texts, text)) };
}

const chains = [];
for (let n = 0; n < members.length; n++) chains[n] = chainOn(members[n]);

// chainable is the value, and can be chained on if the program chains at all.
function chainable(value) {
  if (!host.use.chains) return value;
  if (typeof value === 'string') {
    setAdd(texts, value);
    if (hasOwn(String.prototype, 'then')) return value;
    for (let n = 0; n < chains.length; n++) defineProperty(String.prototype, chains[n].name, chains[n].ofText);
  } else if (typeof value === 'object' && value !== null && !hasOwn(value, 'then')) {
    weakSet(values, value, true);
    for (let n = 0; n < chains.length; n++) {
      if (!hasOwn(value, chains[n].name)) defineProperty(value, chains[n].name, chains[n].ofObject);
    }
  }
  return value;
}

// give is what a reader returns: what read gives, or a promise of it.
function give(read) {
  return promised() ? new Promise((resolve) => resolve(read())) : chainable(read());
}

// formOf reads a form that was sent as a query.
function formOf(type, text) {
  if (indexOf(toLowerCase(type), 'application/x-www-form-urlencoded') !== 0) {
    throw new TypeError('formData reads application/x-www-form-urlencoded; take other forms apart with text() or bytes()');
  }
  const form = new FormData();
  new URLSearchParams(text).forEach((value, name) => form.append(name, value));
  return form;
}

host.body = { __proto__: null, Blob, bytesOfText, formOf, give, promised, textOfBytes, toSend };
