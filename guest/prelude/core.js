// installs:
// needs:
//
// The ground every other prelude file stands on. It runs first, in a realm that no tool has touched, and alone
// receives `raw`, the one C function that leaves the guest. It hands back
//   host         the primitives the other files receive as their first argument
//   primordials  built-ins captured before any tool code ran: their second argument
//   source, adopt, uses, enter, later, arrived, deliver, tick, describe, where: entry points of the engine, never visible to a tool

// Codes of raw's first argument; the engine has the same list.
const CALL = 0, START = 1, WAIT = 2, LOG = 3, ARM = 4, LOAD = 5;

const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
const AnError = Error, ATypeError = TypeError, APromise = Promise, toText = String; // a tool may delete the globals
const bind = Function.prototype.bind;
const uncurry = apply(bind, bind, [Function.prototype.call]);

const viewGetter = (name) => getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), name).get;

const primordials = {
  __proto__: null,
  // uncurry(f) is f with `this` as its first argument: uncurry([].push)(list, item). Safe against a tool that
  // replaces Function.prototype.call, because the bound call is captured here.
  uncurry,
  apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys,
  Array, ArrayBuffer, BigInt, Boolean, DataView, Date, Error, Map, Number, Object, Promise, RangeError, RegExp, Set,
  String, Symbol, SyntaxError, TypeError, Uint8Array, WeakMap, WeakSet,
  isArray: Array.isArray,
  isView: ArrayBuffer.isView,
  parse: JSON.parse,
  stringify: JSON.stringify,
  create: Object.create,
  entries: Object.entries,
  freeze: Object.freeze,
  hasOwn: Object.hasOwn,
  keys: Object.keys,
  setPrototypeOf: Object.setPrototypeOf,
  isFinite: Number.isFinite,
  isInteger: Number.isInteger,
  abs: Math.abs, floor: Math.floor, max: Math.max, min: Math.min, trunc: Math.trunc,
  now: apply(bind, performance.now, [performance]),
  DOMException,
  errors: { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError },
  views: {
    __proto__: null, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    BigInt64Array, BigUint64Array, Float16Array, Float32Array, Float64Array,
  },
  bufferLength: uncurry(getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get),
  fillFrom: uncurry(Uint8Array.prototype.set),
  copyPart: uncurry(Uint8Array.prototype.slice),
  toBase64: uncurry(Uint8Array.prototype.toBase64),
  toHex: uncurry(Uint8Array.prototype.toHex),
  // What a typed array is, for one that a tool has put its own getters on; undefined for anything else.
  viewKind: uncurry(viewGetter(Symbol.toStringTag)),
  viewBuffer: uncurry(viewGetter('buffer')),
  viewOffset: uncurry(viewGetter('byteOffset')),
  viewLength: uncurry(viewGetter('byteLength')),
  join: uncurry(Array.prototype.join),
  pop: uncurry(Array.prototype.pop),
  push: uncurry(Array.prototype.push),
  slice: uncurry(Array.prototype.slice),
  sort: uncurry(Array.prototype.sort),
  splice: uncurry(Array.prototype.splice),
  charCodeAt: uncurry(String.prototype.charCodeAt),
  indexOf: uncurry(String.prototype.indexOf),
  replace: uncurry(String.prototype.replace),
  split: uncurry(String.prototype.split),
  substring: uncurry(String.prototype.substring),
  toLowerCase: uncurry(String.prototype.toLowerCase),
  toUpperCase: uncurry(String.prototype.toUpperCase),
  toWellFormed: uncurry(String.prototype.toWellFormed),
  trim: uncurry(String.prototype.trim),
  exec: uncurry(RegExp.prototype.exec),
  mapGet: uncurry(Map.prototype.get),
  mapSet: uncurry(Map.prototype.set),
  mapHas: uncurry(Map.prototype.has),
  mapDelete: uncurry(Map.prototype.delete),
  setHas: uncurry(Set.prototype.has),
  weakDelete: uncurry(WeakMap.prototype.delete),
  mapForEach: uncurry(Map.prototype.forEach),
  setAdd: uncurry(Set.prototype.add),
  setForEach: uncurry(Set.prototype.forEach),
  weakGet: uncurry(WeakMap.prototype.get),
  weakSet: uncurry(WeakMap.prototype.set),
  weakHas: uncurry(WeakMap.prototype.has),
  then: uncurry(Promise.prototype.then),
  timeOf: uncurry(Date.prototype.getTime),
  numberOf: uncurry(Number.prototype.valueOf),
  bigOf: uncurry(BigInt.prototype.valueOf),
};

// swap(text, pattern, by) is text.replace for a pattern with the flag g and a function or a text, without the methods
// of RegExp.prototype that replace looks up and that a tool can replace.
primordials.swap = (text, pattern, by) => {
  const { exec, substring } = primordials;
  let out = '';
  let from = 0;
  pattern.lastIndex = 0;
  for (let found = exec(pattern, text); found !== null; found = exec(pattern, text)) {
    out += substring(text, from, found.index) + (typeof by === 'function' ? by(found[0]) : by);
    from = found.index + found[0].length;
  }
  return from === 0 ? text : out + substring(text, from);
};

const { create, indexOf, parse, setPrototypeOf, split, mapGet, mapSet, mapDelete, weakGet, weakSet, stringify, substring } = primordials;

// A refusal arrives as the JSON text of {kind, helper, reason, message} and becomes an Error with those own
// properties. Which errors came from the host is remembered, so that a tool cannot pass its own off as one.
const refusals = new WeakMap();

// What a tool wants a model to know of an error: error -> text.
const told = new WeakMap();

function refusal(thrown) {
  if (typeof thrown !== 'string') return thrown; // out of memory or stack while the reply was made
  return refused(setPrototypeOf(parse(thrown), null), thrown);
}

// refused makes the error; line and column are the place in a text that was parsed, if there is one. What is remembered
// is the text: a program can give Object.prototype a toJSON, and no text can be changed.
function refused(fields, text) {
  // A browser's constructor of URL throws a TypeError.
  const error = fields.kind === 'INVALID_INPUT' && fields.helper === 'URL' ? new ATypeError(fields.message) : new AnError(fields.message);
  const add = (name) => defineProperty(error, name, { __proto__: null, value: fields[name], enumerable: true, writable: true, configurable: true });
  add('kind');
  add('helper');
  add('reason');
  if (fields.line !== undefined) add('line');
  if (fields.column !== undefined) add('column');
  weakSet(refusals, error, text);
  return error;
}

// Asynchronous calls in flight: id -> [resolve, reject] of the promise that start made.
const flying = new Map();

const host = {
  __proto__: null,
  // call(op, text?, blob?) waits for the reply: a string, or [text, Uint8Array] when bytes came back.
  call(op, text, blob) {
    try {
      return raw(CALL, op, text, blob);
    } catch (thrown) {
      throw refusal(thrown);
    }
  },
  // start(op, text?, blob?) begins a call and returns { id, promise }; calls in flight overlap.
  start(op, text, blob) {
    let settle;
    const promise = new APromise((resolve, reject) => { settle = { __proto__: null, resolve, reject }; });
    try {
      const id = raw(START, op, text, blob);
      mapSet(flying, id, settle);
      return { __proto__: null, id, promise };
    } catch (thrown) {
      throw refusal(thrown);
    }
  },
  // wait(id) blocks the guest until that call has ended and returns or throws what it ended with; its promise
  // is settled with the same. A call that was already delivered is the caller's to remember.
  wait(id) {
    const { resolve, reject } = mapGet(flying, id);
    mapDelete(flying, id);
    let reply;
    try {
      reply = raw(WAIT, id);
    } catch (thrown) {
      const error = refusal(thrown);
      reject(error);
      throw error;
    }
    resolve(reply);
    return reply;
  },
  // refuse makes the error of a refusal that needs no host call, in the same shape.
  refuse: (kind, helper, reason, message) => {
    const fields = { __proto__: null, kind, helper, reason, message: `[${kind}] ${helper}: ${reason}: ${message}` };
    return refused(fields, stringify(fields));
  },
  // log(level, text) appends one line to the call's console.
  log(level, text) { raw(LOG, level, text); },
  // need(file) evaluates a file that installs nothing, if that has not been done.
  need(file) { load(file); },
  // arm(ms) asks for one tick in ms milliseconds, in place of any earlier request; -1 asks for none.
  arm(ms) { raw(ARM, ms); },
  // install(name, value) puts a global, a member of a namespace such as safety.parser, or a method such as
  // Date.prototype.toLocaleString in its place.
  install(name, value) {
    const { target, key, enumerable } = mapGet(places, name) ?? place(name);
    defineProperty(target, key, { __proto__: null, value, enumerable, writable: true, configurable: true });
  },
  // tell(error, text) notes what a model is told if nobody catches the error.
  tell(error, text) { weakSet(told, error, text); },
  // onTick(run) names the function that a tick runs.
  onTick(run) { tick = run; },
};

host.use = { __proto__: null, promised: '', chains: false };

// There are no threads to share memory with, and no Atomics.
delete globalThis.SharedArrayBuffer;

let tick;
const core = { __proto__: null, host, primordials, tick: () => tick() };

// place finds where a dotted name belongs. A namespace that is not there yet is made; what a tool has put in the
// way with a getter is not called.
function place(name) {
  const path = split(name, '.');
  let target = globalThis;
  for (let n = 0; n < path.length - 1; n++) {
    let next = getOwnPropertyDescriptor(target, path[n])?.value;
    if (next === undefined) {
      next = {};
      defineProperty(target, path[n], { __proto__: null, value: next, enumerable: n > 0, writable: true, configurable: true });
    }
    target = next;
  }
  return { __proto__: null, target, key: path[path.length - 1], enumerable: path.length > 1 && path[path.length - 2] !== 'prototype' };
}

// Files that are evaluated when something they install is first used: file -> the files before it, in one text.
const waiting = new Map();

// Where the names of stand-ins were found: a tool may since have put another Number in place of the first.
const places = new Map();

function load(file) {
  const after = mapGet(waiting, file);
  if (after === undefined) return; // done, or under way
  mapDelete(waiting, file);
  const before = split(after, ' ');
  for (let n = 0; n < before.length; n++) load(before[n]);
  raw(LOAD, file)(host, primordials);
}

// later(file, names, after) stands in for a file until one of the names it installs is used.
core.later = (file, names, after) => {
  mapSet(waiting, file, after);
  if (names === '') return; // others need it
  const list = split(names, ' ');
  for (let n = 0; n < list.length; n++) {
    const found = place(list[n]);
    mapSet(places, list[n], found);
    const { target, key, enumerable } = found;
    if (indexOf(list[n], '.prototype.') >= 0) {
      const method = { [key](...list) { load(file); return apply(target[key], this, list); } }[key];
      defineProperty(target, key, { __proto__: null, value: method, writable: true, configurable: true });
      continue;
    }
    defineProperty(target, key, {
      __proto__: null, enumerable, configurable: true,
      get() { load(file); return getOwnPropertyDescriptor(target, key)?.value; },
      set(value) { defineProperty(target, key, { __proto__: null, value, enumerable, writable: true, configurable: true }); },
    });
  }
};

// arrived says that a file is evaluated after all, while an image is built: its stand-ins are being replaced.
core.arrived = (file) => { mapDelete(waiting, file); };

// source is the text of a function.
core.source = uncurry(Function.prototype.toString);

// adopt names the function that enter calls with the call's arguments. They lose their prototype, so that a
// parameter called constructor or toString that was not supplied is undefined.
let program;
core.adopt = (f) => { program = f; };
core.enter = function enter(values) {
  setPrototypeOf(values, null);
  return program(values);
};

// uses says how the program uses what a response gives: the places of the calls that want a promise, one a line as
// they stand in a stack, and whether it chains anywhere.
core.uses = (promised, chains) => { host.use = { __proto__: null, promised, chains }; };

// deliver settles the promise of a call that has ended.
core.deliver = (id, failed, reply) => {
  const { resolve, reject } = mapGet(flying, id);
  mapDelete(flying, id);
  if (failed) reject(refusal(reply));
  else resolve(reply);
};

// Longest text of a failure report, in characters.
const REPORT = 16384;

// describe turns whatever was thrown into the texts of a failure report. It reads properties of a tool's object, so
// it runs under the call's limits like the tool itself, and what it cannot read is left out. No JSON.stringify: it
// fails when a tool has put setters on Array.prototype.
core.describe = (thrown) => {
  const report = create(null);
  const read = (name) => {
    try {
      const value = thrown[name];
      if (typeof value === 'string') report[name] = substring(value, 0, REPORT);
    } catch {
      // A getter that throws hides that property and nothing else.
    }
  };
  try {
    if (typeof thrown === 'object' && thrown !== null && (thrown instanceof AnError || typeof thrown.message === 'string')) {
      read('name');
      read('message');
      read('stack');
      const refused = weakGet(refusals, thrown);
      if (refused !== undefined) report.refusal = refused;
      const text = weakGet(told, thrown);
      if (text !== undefined) report.told = text;
    } else {
      report.message = substring(typeof thrown === 'object' && thrown !== null ? stringify(thrown) ?? 'object' : toText(thrown), 0, REPORT);
    }
  } catch {
    report.message = typeof thrown;
  }
  return report;
};

// What the globals were before any tool code ran, and how a stack is read as objects.
const natives = [];
for (const name of ownKeys(globalThis)) {
  const value = getOwnPropertyDescriptor(globalThis, name)?.value;
  if (typeof name === 'string' && (typeof value === 'function' || typeof value === 'object') && value !== globalThis) primordials.push(natives, { __proto__: null, name, value });
}
primordials.push(natives, { __proto__: null, name: 'TypedArray', value: getPrototypeOf(Uint8Array) });
const setPrepare = uncurry(getOwnPropertyDescriptor(AnError, 'prepareStackTrace').set);
const setLimit = uncurry(getOwnPropertyDescriptor(AnError, 'stackTraceLimit').set);
let site;
setPrepare(AnError, (_, sites) => { site = getPrototypeOf(sites[0]); });
new AnError();
setPrepare(AnError, undefined);
const functionOf = uncurry(site.getFunction), functionName = uncurry(site.getFunctionName), fileName = uncurry(site.getFileName);
const lineNumber = uncurry(site.getLineNumber), isNative = uncurry(site.isNative);

// member is the name of a property of the object whose value or getter a function is.
function member(object, f) {
  const keys = ownKeys(object);
  for (let n = 0; n < keys.length; n++) {
    const found = getOwnPropertyDescriptor(object, keys[n]);
    if (found.value === f || found.get === f) return typeof keys[n] === 'symbol' ? '[' + toText(keys[n]) + ']' : '.' + keys[n];
  }
}

// builtin is a built-in function as people write it, such as RegExp.prototype.exec.
function builtin(f) {
  for (let n = 0; n < natives.length; n++) {
    const { name, value } = natives[n];
    if (value === f) return name;
    const own = member(value, f);
    if (own !== undefined) return name + own;
    const prototype = typeof value === 'function' ? getOwnPropertyDescriptor(value, 'prototype')?.value : undefined;
    const inherited = typeof prototype === 'object' && prototype !== null ? member(prototype, f) : undefined;
    if (inherited !== undefined) return name + '.prototype' + inherited;
  }
}

// where says what ran when the engine ended the call: the innermost built-in above the tool's own code, or else the
// tool's function, and its line. It runs on what is left of a guest that was stopped in the middle of anything, with
// a budget of its own; nothing of the tool is called. (QuickJS makes template literals with String.prototype.concat.)
core.where = (file) => {
  let sites;
  setLimit(AnError, 200);
  setPrepare(AnError, (_, all) => { sites = all; });
  new AnError();
  let running;
  for (let n = 1; n < sites.length; n++) {
    if (isNative(sites[n])) {
      running ??= builtin(functionOf(sites[n]));
    } else if (fileName(sites[n]) === file) {
      const line = lineNumber(sites[n]);
      const at = line > 0 ? file + ':' + line : file;
      running ??= functionName(sites[n]) || undefined;
      return running === undefined ? at : substring(running, 0, 100) + ' in ' + at;
    }
  }
  return running ?? '';
};

return core;
