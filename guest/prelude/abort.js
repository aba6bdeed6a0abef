// installs: AbortController AbortSignal
// needs:
// after: timers.js
//
// AbortController and AbortSignal. host.signals lets fetch listen where no tool can see it.

const { defineProperty, push, splice, uncurry, apply, Error, TypeError, Number, WeakMap, weakGet, weakSet } = primordials;
const { setTimeout } = globalThis;
const position = uncurry([].indexOf);

// What is known of a signal: aborted, reason, listeners of the tool, and watchers of ours, which run first.
const states = new WeakMap();
let making = false; // only the code below makes signals

function named(name, message) {
  const error = new Error(message);
  defineProperty(error, 'name', { __proto__: null, value: name, writable: true, enumerable: false, configurable: true });
  return error;
}

function abort(signal, reason) {
  const state = weakGet(states, signal);
  if (state.aborted) return;
  state.aborted = true;
  state.reason = reason === undefined ? named('AbortError', 'the operation was aborted') : reason;
  const { watchers, listeners } = state;
  state.watchers = [];
  state.listeners = [];
  for (let i = 0; i < watchers.length; i++) watchers[i](state.reason);
  const event = { type: 'abort', target: signal, currentTarget: signal };
  if (typeof signal.onabort === 'function') apply(signal.onabort, signal, [event]);
  for (let i = 0; i < listeners.length; i++) {
    if (typeof listeners[i] === 'function') apply(listeners[i], signal, [event]);
    else listeners[i].handleEvent(event);
  }
}

function newSignal() {
  making = true;
  try {
    return new AbortSignal();
  } finally {
    making = false;
  }
}

class AbortSignal {
  constructor() {
    if (!making) throw new TypeError('an AbortSignal comes from an AbortController');
    this.onabort = null;
    weakSet(states, this, { __proto__: null, aborted: false, reason: undefined, watchers: [], listeners: [], timeout: 0 });
  }
  get aborted() { return weakGet(states, this).aborted; }
  get reason() { return weakGet(states, this).reason; }
  throwIfAborted() {
    const { aborted, reason } = weakGet(states, this);
    if (aborted) throw reason;
  }
  addEventListener(type, listener) {
    const { listeners } = weakGet(states, this);
    if (type === 'abort' && listener && position(listeners, listener) < 0) push(listeners, listener);
  }
  removeEventListener(type, listener) {
    const { listeners } = weakGet(states, this);
    const at = position(listeners, listener);
    if (type === 'abort' && at >= 0) splice(listeners, at, 1);
  }
  static abort(reason) {
    const signal = newSignal();
    abort(signal, reason);
    return signal;
  }
  static timeout(ms) {
    const signal = newSignal();
    // The guest cannot run a timer while it waits for a response, so the host is told as well.
    weakGet(states, signal).timeout = Number(ms);
    setTimeout(() => abort(signal, named('TimeoutError', 'the operation took too long')), ms);
    return signal;
  }
  static any(signals) {
    const signal = newSignal();
    for (const one of signals) {
      const state = weakGet(states, one);
      if (state.aborted) {
        abort(signal, state.reason);
        break;
      }
      push(state.watchers, (reason) => abort(signal, reason));
    }
    return signal;
  }
}

class AbortController {
  #signal = newSignal();
  get signal() { return this.#signal; }
  abort(reason) { abort(this.#signal, reason); }
}

host.signals = {
  __proto__: null,
  // state returns what is known of a signal, or undefined if the value is none.
  state: (value) => (typeof value === 'object' && value !== null ? weakGet(states, value) : undefined),
};

host.install('AbortController', AbortController);
host.install('AbortSignal', AbortSignal);
