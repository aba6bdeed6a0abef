// installs: Event CustomEvent EventTarget
// needs:
//
// Events without a tree: a target, its listeners, and what a listener can do about an event.

const { apply, now, push, splice, String, Symbol, TypeError, DOMException } = primordials;

const NONE = 0, AT_TARGET = 2;
let begin; // begin(event, target) and end(event) are where an event is on its way
let end;
let stopped; // stopped(event) is whether a listener has asked that no other hears of it

class Event {
  #type;
  #bubbles;
  #cancelable;
  #composed;
  #made = now();
  #target = null;
  #phase = NONE;
  #prevented = false;
  #stopped = false;

  constructor(type, init) {
    if (type === undefined) throw new TypeError('an event has a type');
    this.#type = String(type);
    this.#bubbles = !!init?.bubbles;
    this.#cancelable = !!init?.cancelable;
    this.#composed = !!init?.composed;
  }
  get type() { return this.#type; }
  get bubbles() { return this.#bubbles; }
  get cancelable() { return this.#cancelable; }
  get composed() { return this.#composed; }
  get defaultPrevented() { return this.#prevented; }
  get target() { return this.#target; }
  get srcElement() { return this.#target; }
  get currentTarget() { return this.#phase === NONE ? null : this.#target; }
  get eventPhase() { return this.#phase; }
  get isTrusted() { return false; }
  get timeStamp() { return this.#made; }
  composedPath() { return this.#phase === NONE ? [] : [this.#target]; }
  preventDefault() { if (this.#cancelable) this.#prevented = true; }
  stopPropagation() {} // there is nothing above a target
  stopImmediatePropagation() { this.#stopped = true; }
  get [Symbol.toStringTag]() { return 'Event'; }

  static {
    begin = (event, target) => {
      if (!(#type in event)) throw new TypeError('only an Event can be dispatched');
      if (event.#phase !== NONE) throw new DOMException('the event is on its way already', 'InvalidStateError');
      event.#target = target;
      event.#phase = AT_TARGET;
    };
    end = (event) => {
      event.#phase = NONE;
      event.#stopped = false;
      return !event.#prevented;
    };
    stopped = (event) => event.#stopped;
  }
}

class CustomEvent extends Event {
  #detail;
  constructor(type, init) {
    super(type, init);
    this.#detail = init?.detail ?? null;
  }
  get detail() { return this.#detail; }
  get [Symbol.toStringTag]() { return 'CustomEvent'; }
}

// run calls a listener. What it throws concerns neither the other listeners nor whoever dispatched the event; it is
// reported on the console.
function run(callback, target, event) {
  try {
    if (typeof callback === 'function') apply(callback, target, [event]);
    else callback.handleEvent(event);
  } catch (error) {
    let text = 'something that has no text';
    try {
      text = String(error);
    } catch {
      // Reporting must not fail in turn.
    }
    host.log('error', `an event listener threw ${text}`);
  }
}

class EventTarget {
  #listeners = []; // { type, callback, capture, once, gone }

  addEventListener(type, callback, options) {
    if (callback === null || callback === undefined) return;
    if (typeof callback !== 'function' && typeof callback !== 'object') throw new TypeError('a listener is a function or an object with handleEvent');
    type = String(type);
    const capture = captures(options);
    const once = typeof options === 'object' && options !== null && !!options.once;
    const signal = typeof options === 'object' && options !== null ? options.signal : undefined;
    let watched;
    if (signal !== undefined) {
      watched = host.signals?.state(signal);
      if (watched === undefined) throw new TypeError('signal is an AbortSignal');
      if (watched.aborted) return;
    }
    if (this.#find(type, callback, capture) >= 0) return;
    push(this.#listeners, { __proto__: null, type, callback, capture, once, gone: false });
    if (watched !== undefined) push(watched.watchers, () => this.removeEventListener(type, callback, capture));
  }
  removeEventListener(type, callback, options) {
    const at = this.#find(String(type), callback, captures(options));
    if (at >= 0) this.#drop(at);
  }
  dispatchEvent(event) {
    begin(event, this);
    const due = [];
    for (let n = 0; n < this.#listeners.length; n++) if (this.#listeners[n].type === event.type) push(due, this.#listeners[n]);
    for (let n = 0; n < due.length && !stopped(event); n++) {
      const listener = due[n];
      if (listener.gone) continue; // by an earlier one
      if (listener.once) this.removeEventListener(listener.type, listener.callback, listener.capture);
      run(listener.callback, this, event);
    }
    return end(event);
  }
  #find(type, callback, capture) {
    for (let n = 0; n < this.#listeners.length; n++) {
      const l = this.#listeners[n];
      if (l.type === type && l.callback === callback && l.capture === capture) return n;
    }
    return -1;
  }
  #drop(at) {
    this.#listeners[at].gone = true;
    splice(this.#listeners, at, 1);
  }
  get [Symbol.toStringTag]() { return 'EventTarget'; }
}

const captures = (options) => (typeof options === 'object' && options !== null ? !!options.capture : !!options);

host.events = { __proto__: null, Event, EventTarget, run };

host.install('Event', Event);
host.install('CustomEvent', CustomEvent);
host.install('EventTarget', EventTarget);
