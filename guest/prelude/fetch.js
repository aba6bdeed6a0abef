// installs: fetch Response
// needs: http.check http.fetch http.abort http.text http.json
// after: abort.js headers.js form.js blob.js
//
// fetch is asynchronous: calls overlap, and `await fetch(url)` gives a Response whose readers are promises. Older
// tools use it as if it were synchronous. So the promise that fetch returns is a response as well: the first use of
// one of its members waits for the answer, and its readers give values.

const {
  create, defineProperty, isArray, isView, parse, setPrototypeOf, weakGet, weakSet, WeakMap, stringify, then, push, floor, min, charCodeAt, substring,
  ArrayBuffer, Number, Promise, String, Symbol, TypeError, Uint8Array, uncurry, getOwnPropertyDescriptor, getPrototypeOf,
} = primordials;
const { Headers, pairs, of } = host.headers;
const { FormData, multipart } = host.form;
const { bytesOf } = host.blobs;
const { signals } = host;
const copyOf = uncurry(Uint8Array.prototype.slice);
const viewMember = (name) => uncurry(getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), name).get);
const viewBuffer = viewMember('buffer');
const byteLength = viewMember('byteLength');

let lastKey = 0;
let opening = null; // the data of the Response that is being made, which no tool can make

// integer reads an option that counts characters: absent or not above zero is the default.
function integer(value, def) {
  if (value === undefined) return def;
  const n = floor(Number(value));
  return n > 0 ? n : def;
}

// body returns what is sent and its type, each undefined if there is none.
function bodyOf(value) {
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
    if (isView(value)) return is(undefined, new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    if (!(value instanceof String)) throw new TypeError('a body is a string, bytes, a Blob, URLSearchParams or FormData');
  }
  return is(String(value), undefined, 'text/plain;charset=UTF-8');
}

// Response is an answer. Its data never changes, so it can be read more than once.
class Response {
  #data;
  #text;
  constructor() {
    if (opening === null) throw new TypeError('a Response comes from fetch');
    this.#data = opening;
    opening = null;
  }
  get #head() { return (this.#data.head ??= parse(this.#data.text)); }
  get status() { return this.#head.status; }
  get ok() { return this.status >= 200 && this.status < 300; }
  get statusText() { return this.#head.statusText; }
  get url() { return this.#head.url; }
  get redirected() { return this.#head.redirected; }
  get headers() { return (this.#data.headers ??= of(this.#head.headers)); }
  get contentType() { return this.headers.get('content-type') ?? ''; }
  get truncated() { return this.#slice().next !== null; }
  get nextStartIndex() { return this.#slice().next; }

  #whole() {
    this.#text ??= host.call('http.text', this.contentType, this.#data.bytes);
    return this.#text;
  }
  // slice is the piece of the text that startIndex and maxLength ask for, which never cuts a character of two
  // UTF-16 units apart.
  #slice() {
    const { start, length } = this.#data;
    if (start === 0 && length === Infinity) return { __proto__: null, text: this.#whole(), next: null };
    const text = this.#whole();
    const from = min(start, text.length);
    let to = min(from + length, text.length);
    if (to < text.length && to > from && (charCodeAt(text, to - 1) & 0xfc00) === 0xd800) to++;
    return { __proto__: null, text: substring(text, from, to), next: to < text.length ? to : null };
  }
  #give(read) {
    if (this.#data.sync) return read();
    return new Promise((resolve) => resolve(read()));
  }

  text() { return this.#give(() => this.#slice().text); }
  json() { return this.#give(() => parse(host.call('http.json', this.contentType, this.#data.bytes))); }
  bytes() { return this.#give(() => copyOf(this.#data.bytes)); }
  arrayBuffer() { return this.#give(() => viewBuffer(copyOf(this.#data.bytes))); }
  clone() { return open(this.#data); }
  get [Symbol.toStringTag]() { return 'Response'; }
}

function open(data) {
  opening = data;
  return new Response();
}

// answer makes a response of the host's reply.
function answer(reply, init, sync) {
  return open({
    __proto__: null, text: reply[0], head: undefined, headers: undefined, bytes: reply[1], sync,
    start: integer(init.startIndex, 0), length: integer(init.maxLength, Infinity),
  });
}

// prepare writes a request for the host.
function prepare(input, init) {
  const { body, bytes, type } = bodyOf(init.body);
  let fields = [];
  if (init.headers !== undefined && init.headers !== null) {
    fields = pairs(init.headers instanceof Headers ? init.headers : new Headers(init.headers));
  }
  if (type !== undefined && !of(fields).has('content-type')) fields = [...fields, ['content-type', type]];
  const signal = signals.state(init.signal);
  if (signal === undefined && init.signal !== undefined && init.signal !== null) throw new TypeError('signal is an AbortSignal');
  let timeout = Number(init.timeout);
  timeout = timeout > 0 ? timeout : 0;
  if (signal !== undefined && signal.timeout > 0) timeout = timeout > 0 ? min(timeout, signal.timeout) : signal.timeout;
  const key = String(++lastKey);
  // The JSON is put together here, without what the host takes for granted: for a plain GET that is a third of the
  // work that one stringify of everything is.
  let request = `{"key":"${key}","url":${stringify(String(input))}`;
  if (init.method !== undefined && init.method !== null) request += `,"method":${stringify(String(init.method))}`;
  if (fields.length > 0) request += `,"headers":${stringify(fields)}`;
  if (body !== undefined) request += `,"body":${stringify(body)}`;
  if (init.redirect !== undefined) request += `,"redirect":${stringify(String(init.redirect))}`;
  if (timeout > 0) request += `,"timeout":${stringify(timeout)}`;
  request += '}';
  return { __proto__: null, key, request, bytes: bytes !== undefined && byteLength(bytes) > 0 ? bytes : undefined, signal };
}

// What fetch returned: promise -> the function that waits for its response, for those who did not await.
const pending = new WeakMap();

// Such a promise has the members of a response as well.
const pendingPrototype = create(Promise.prototype);
for (const name of ['status', 'ok', 'statusText', 'url', 'redirected', 'headers', 'contentType', 'truncated', 'nextStartIndex']) {
  defineProperty(pendingPrototype, name, { __proto__: null, get() { return weakGet(pending, this)()[name]; }, configurable: true });
}
for (const name of ['text', 'json', 'bytes', 'arrayBuffer', 'clone']) {
  defineProperty(pendingPrototype, name, { __proto__: null, value() { return weakGet(pending, this)()[name](); }, writable: true, configurable: true });
}

function fetch(input, init) {
  if (init === undefined || init === null) init = { __proto__: null };
  const { key, request, bytes, signal } = prepare(input, init);
  if (signal !== undefined && signal.aborted) throw signal.reason;
  host.call('http.check', request, bytes); // what needs no I/O to be refused is refused here
  const flight = host.start('http.fetch', request, bytes);

  let ended = false;
  let reply, failed, failure;
  const end = (value) => {
    if (!ended) {
      ended = true;
      reply = value;
    }
  };
  const fail = (error) => {
    if (!ended) ended = failed = true, failure = error;
  };
  // The host's timer and the signal's run for the same time. Whichever was heard first, the signal is what ended it.
  const refused = (error) => {
    if (signal !== undefined && error.reason === 'timeout') signal.expire();
    fail(error);
  };
  // Whichever comes first: the answer, an abort, or somebody who cannot wait.
  const promise = new Promise((resolve, reject) => {
    const settle = () => (failed ? reject(failure) : resolve(answer(reply, init, false)));
    then(flight.promise, (value) => { end(value); settle(); }, (error) => { refused(error); settle(); });
    if (signal !== undefined) {
      push(signal.watchers, (reason) => {
        if (ended) return;
        fail(reason);
        settle();
        host.call('http.abort', key);
      });
    }
  });
  then(promise, undefined, () => {}); // a failure that nobody waits for is nobody's

  let late; // the response as somebody sees it who did not await
  weakSet(pending, setPrototypeOf(promise, pendingPrototype), () => {
    if (!ended) {
      try {
        end(host.wait(flight.id));
      } catch (error) {
        refused(error);
      }
    }
    if (failed) throw failure;
    late ??= answer(reply, init, true);
    return late;
  });
  return promise;
}

host.install('fetch', fetch);
host.install('Response', Response);
