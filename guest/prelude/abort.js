// installs: AbortController AbortSignal
// needs:
// after: timers.js events.js
//
// AbortController and AbortSignal. host.signals lets fetch listen where no tool can see it.

const { push, now, DOMException, TypeError, Number, Symbol, WeakMap, weakGet, weakSet } = primordials;
const { setTimeout } = host.timers;
const { Event, EventTarget, run } = host.events;

// What is known of a signal: aborted, reason, and watchers of ours, which run before any listener. timeout is when it
// aborts by itself, in milliseconds from when it was made, or 0; expire aborts it if that time has passed.
const states = new WeakMap();
let making = false; // only the code below makes signals

function abort(signal, reason) {
  const state = weakGet(states, signal);
  if (state.aborted) return;
  state.aborted = true;
  state.reason = reason === undefined ? new DOMException('the operation was aborted', 'AbortError') : reason;
  const { watchers } = state;
  state.watchers = [];
  for (let i = 0; i < watchers.length; i++) watchers[i](state.reason);
  const event = new Event('abort');
  if (typeof signal.onabort === 'function') run(signal.onabort, signal, event);
  signal.dispatchEvent(event);
}

function newSignal() {
  making = true;
  try {
    return new AbortSignal();
  } finally {
    making = false;
  }
}

const known = (value) => (typeof value === 'object' && value !== null ? weakGet(states, value) : undefined);

function stateOf(value) {
  const state = known(value);
  if (state === undefined) throw new TypeError('this is no AbortSignal');
  return state;
}

class AbortSignal extends EventTarget {
  constructor() {
    if (!making) throw new TypeError('an AbortSignal comes from an AbortController');
    super();
    this.onabort = null;
    weakSet(states, this, { __proto__: null, aborted: false, reason: undefined, watchers: [], timeout: 0, expire() {} });
  }
  get aborted() { return stateOf(this).aborted; }
  get reason() { return stateOf(this).reason; }
  throwIfAborted() {
    const { aborted, reason } = stateOf(this);
    if (aborted) throw reason;
  }
  get [Symbol.toStringTag]() { return 'AbortSignal'; }

  static abort(reason) {
    const signal = newSignal();
    abort(signal, reason);
    return signal;
  }
  static timeout(delay) {
    const ms = Number(delay);
    const due = now() + ms;
    const signal = newSignal();
    const state = stateOf(signal);
    const end = () => abort(signal, new DOMException('the operation took too long', 'TimeoutError'));
    // The guest cannot run a timer while it waits for a response, so the host is told as well, and may be the first to
    // say that the time has passed.
    state.timeout = ms;
    state.expire = () => {
      if (now() >= due) end();
    };
    setTimeout(end, ms);
    return signal;
  }
  static any(signals) {
    const signal = newSignal();
    const own = stateOf(signal);
    for (const one of signals) {
      const state = stateOf(one);
      if (own.aborted) continue;
      if (state.aborted) {
        abort(signal, state.reason);
        continue;
      }
      if (state.timeout > 0 && (own.timeout === 0 || state.timeout < own.timeout)) {
        own.timeout = state.timeout;
        own.expire = state.expire;
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
  get [Symbol.toStringTag]() { return 'AbortController'; }
}

host.signals = {
  __proto__: null,
  // state returns what is known of a signal, or undefined if the value is none.
  state: known,
};

host.install('AbortController', AbortController);
host.install('AbortSignal', AbortSignal);
