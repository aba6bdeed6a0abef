// installs: fetch
// needs: http.check http.fetch http.abort http.text http.json
// after: response.js
//
// fetch is asynchronous: calls overlap, and `await fetch(url)` gives a Response. Older tools use it as if it were
// synchronous. So the promise that fetch returns is a response as well: the first use of one of its members waits for
// the answer. What the readers give, body.js says.

const { create, defineProperty, setPrototypeOf, weakGet, weakSet, WeakMap, stringify, then, push, floor, min, viewLength, Number, Promise, String, TypeError } = primordials;
const { Headers, pairs, of } = host.headers;
const { toSend } = host.body;
const { open, requestOf } = host.responses;
const { signals } = host;

let lastKey = 0;

// integer reads an option that counts characters: absent or not above zero is the default.
function integer(value, def) {
  if (value === undefined) return def;
  const n = floor(Number(value));
  return n > 0 ? n : def;
}

// answer makes a response of the host's reply.
function answer(reply, init) {
  return open({
    __proto__: null, text: reply[0], head: undefined, headers: undefined, bytes: reply[1],
    start: integer(init.startIndex, 0), length: integer(init.maxLength, Infinity),
  });
}

// prepare writes a request for the host.
function prepare(input, init) {
  const { body, bytes, type } = toSend(init.body);
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
  return { __proto__: null, key, request, bytes: bytes !== undefined && viewLength(bytes) > 0 ? bytes : undefined, signal };
}

// What fetch returned: promise -> the function that waits for its response, for those who did not await.
const pending = new WeakMap();

// Such a promise has the members of a response as well.
const pendingPrototype = create(Promise.prototype);
for (const name of ['status', 'ok', 'statusText', 'url', 'redirected', 'headers', 'type', 'bodyUsed', 'contentType', 'truncated', 'nextStartIndex']) {
  defineProperty(pendingPrototype, name, { __proto__: null, get() { return weakGet(pending, this)()[name]; }, configurable: true });
}
for (const name of ['text', 'json', 'bytes', 'arrayBuffer', 'blob', 'formData', 'clone']) {
  defineProperty(pendingPrototype, name, { __proto__: null, value() { return weakGet(pending, this)()[name](); }, writable: true, configurable: true });
}

function fetch(input, init) {
  if (input === undefined || input === null || input === '') throw host.refuse('INVALID_INPUT', 'fetch', 'missing-input', 'fetch needs an address');
  if (init === undefined || init === null) init = { __proto__: null };
  const asked = requestOf(input);
  if (asked !== undefined) {
    const { url, method, headers, bytes, redirect, signal } = asked;
    init = { __proto__: null, method, headers, body: bytes, redirect, signal, ...init };
    input = url;
  }
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
    const settle = () => (failed ? reject(failure) : resolve(answer(reply, init)));
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
    late ??= answer(reply, init);
    return late;
  });
  return promise;
}

host.install('fetch', fetch);
host.install('Response', Response);
