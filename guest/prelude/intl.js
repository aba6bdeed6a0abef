// installs:
// needs: intl.resolve intl.format intl.locales
//
// What the parts of Intl share: how locales and options are read (ECMA-402, section 9.2) and how a formatter asks the
// host. (No template literals here: QuickJS makes them with String.prototype.concat, which a tool may have replaced.)
// A formatter is its request, a text that the host knows again; formatting sends it with the values.

'use strict'; // `this` of a method may be a number or a text

const {
  create, defineProperty, getOwnPropertyDescriptor, indexOf, keys, mapGet, mapSet, parse, setPrototypeOf, stringify, substring, weakGet, weakSet,
  Map, Number, Object, RangeError, String, Symbol, TypeError, WeakMap,
} = primordials;

// Lists without a prototype: a tool's setters and toJSON on Array.prototype do not see them.
const list = () => setPrototypeOf([], null);

// ask makes a host call; what it refuses is a RangeError or a TypeError, as ECMA-402 says.
function ask(op, text) {
  try {
    return host.call(op, text);
  } catch (error) {
    const { kind, helper, reason } = error;
    if (reason !== 'range-error' && reason !== 'type-error') throw error;
    const at = indexOf(error.message, reason);
    const message = substring(error.message, at + reason.length + 2);
    const thrown = reason === 'range-error' ? new RangeError(message) : new TypeError(message);
    const add = (name, value) => defineProperty(thrown, name, { __proto__: null, value, writable: true, configurable: true });
    add('kind', kind);
    add('helper', helper);
    add('reason', reason);
    throw thrown;
  }
}

// Objects of Intl -> { service, request, resolved (JSON) }. A Locale has { service, tag }.
const slots = new WeakMap();

function stateOf(object, service, method) {
  const state = typeof object === 'object' && object !== null ? weakGet(slots, object) : undefined;
  if (state === undefined || state.service !== service) {
    throw new TypeError('Method Intl.' + service + '.prototype.' + method + ' called on incompatible receiver');
  }
  return state;
}

// localeList is CanonicalizeLocaleList without the canonicalising, which the host does.
function localeList(locales) {
  const names = list();
  if (locales === undefined) return names;
  const add = (value) => {
    const state = typeof value === 'object' && value !== null ? weakGet(slots, value) : undefined;
    names[names.length] = state !== undefined && state.service === 'Locale' ? state.tag : String(value);
  };
  if (typeof locales === 'string' || (typeof locales === 'object' && locales !== null && weakGet(slots, locales)?.service === 'Locale')) {
    add(locales);
    return names;
  }
  if (locales === null) throw new TypeError('Incorrect locale information provided');
  const object = Object(locales);
  const length = Number(object.length);
  for (let n = 0; n < length; n++) {
    if (!(n in object)) continue;
    const value = object[n];
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) {
      throw new TypeError('Incorrect locale information provided');
    }
    add(value);
  }
  return names;
}

// reader returns GetOption for the options of a service.
function reader(options, service) {
  // option(name, values, fallback) reads a string that must be one of values (any, if there are none).
  const option = (name, values, fallback) => {
    const value = options[name];
    if (value === undefined) return fallback;
    const text = String(value);
    if (values !== undefined && !includes(values, text)) {
      throw new RangeError('Value ' + text + ' out of range for Intl.' + service + ' options property ' + name);
    }
    return text;
  };
  option.flag = (name) => (options[name] === undefined ? undefined : !!options[name]);
  option.number = (name, low, high, fallback) => inRange(options[name], name, low, high, fallback);
  option.raw = (name) => options[name];
  // type is a value of the -u- extension: "latn", "islamic-civil".
  option.type = (name) => {
    const text = option(name);
    if (text !== undefined && !isType(text)) throw new RangeError('Invalid ' + name + ' : ' + text);
    return text;
  };
  return option;
}

function inRange(value, name, low, high, fallback) {
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!(number >= low && number <= high)) throw new RangeError(name + ' value is out of range.');
  return number - (number % 1);
}

function includes(values, text) {
  for (let n = 0; n < values.length; n++) if (values[n] === text) return true;
  return false;
}

// isType: groups of three to eight letters and digits with hyphens between.
function isType(text) {
  let run = 0;
  for (let n = 0; n <= text.length; n++) {
    const c = n < text.length ? text[n] : '-';
    if (c === '-') {
      if (run < 3 || run > 8) return false;
      run = 0;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) run++;
    else return false;
  }
  return true;
}

// coerced is CoerceOptionsToObject, strict is GetOptionsObject.
const coerced = (options) => (options === undefined ? create(null) : Object(options));
function strict(options) {
  if (options === undefined) return create(null);
  if (typeof options !== 'object' && typeof options !== 'function' || options === null) throw new TypeError('options must be an object');
  return options;
}

// What requests resolved to, so that a toLocaleString in a loop asks the host once and not twice.
const mostKnown = 64;
let known = new Map();
let knownCount = 0;

const matchers = ['lookup', 'best fit'];

// open makes a formatter of object: read(option) returns the options to send.
function open(object, service, locales, options, read) {
  const names = localeList(locales);
  const option = reader(options, service);
  option('localeMatcher', matchers);
  const fields = read(option);
  const request = stringify({ __proto__: null, service, locales: names, options: fields });
  let resolved = mapGet(known, request);
  if (resolved === undefined) {
    resolved = ask('intl.resolve', request);
    if (knownCount++ >= mostKnown) {
      known = new Map();
      knownCount = 1;
    }
    mapSet(known, request, resolved);
  }
  weakSet(slots, object, { __proto__: null, service, request, resolved });
  return object;
}

// format asks for a verb on one text, formatAll on a list() of them, formatRange on two.
const format = (state, verb, value) => ask('intl.format', state.request + '\n=' + verb + '\n' + value);
const formatRange = (state, verb, start, end) => formatAll(state, verb, setPrototypeOf([start, end], null));
const formatAll = (state, verb, values) => ask('intl.format', state.request + '\n' + verb + '\n' + stringify(values));

// service gives a constructor its prototype: methods, getters and what all have in common. resolved(options) may
// finish the object of resolvedOptions.
function service(name, constructor, length, methods, getters, resolved = (options) => options) {
  const { prototype } = constructor;
  const put = (target, key, value) => defineProperty(target, key, { __proto__: null, value, writable: true, configurable: true });
  const all = {
    ...methods,
    resolvedOptions() { return resolved(parse(stateOf(this, name, 'resolvedOptions').resolved)); },
  };
  const methodNames = keys(all);
  for (let n = 0; n < methodNames.length; n++) put(prototype, methodNames[n], all[methodNames[n]]);
  const getterNames = keys(getters);
  for (let n = 0; n < getterNames.length; n++) {
    const key = getterNames[n];
    // A getter hands out one function for each object, bound to it.
    const accessor = {
      get [key]() {
        const state = stateOf(this, name, key);
        return state.bound ??= getters[key](state);
      },
    };
    defineProperty(prototype, key, { ...getOwnPropertyDescriptor(accessor, key), enumerable: false });
  }
  put(constructor, 'supportedLocalesOf', { supportedLocalesOf(locales, options) { return supported(locales, options); } }.supportedLocalesOf);
  defineProperty(prototype, Symbol.toStringTag, { __proto__: null, value: 'Intl.' + name, configurable: true });
  defineProperty(prototype, 'constructor', { __proto__: null, value: constructor, writable: true, configurable: true });
  defineProperty(constructor, 'prototype', { __proto__: null, value: prototype, writable: false });
  defineProperty(constructor, 'length', { __proto__: null, value: length, configurable: true });
  install(name, constructor);
}

// install puts a member of Intl in its place.
function install(name, value) {
  host.install('Intl.' + name, value);
  const Intl = getOwnPropertyDescriptor(globalThis, 'Intl')?.value;
  if (typeof Intl === 'object' && Intl !== null) defineProperty(Intl, Symbol.toStringTag, { __proto__: null, value: 'Intl', configurable: true });
}

function supported(locales, options) {
  const names = localeList(locales);
  reader(coerced(options), 'supportedLocalesOf')('localeMatcher', matchers);
  return locally('supported', names);
}

// locally asks about identifiers alone.
const locally = (verb, tags, key = '') => parse(ask('intl.locales', stringify({ __proto__: null, verb, key, tags })));

// made returns the object that a constructor fills: of the class that new names.
const made = (target, constructor) => create(target === undefined ? constructor.prototype : target.prototype ?? constructor.prototype);

function needNew(target, name) {
  if (target === undefined) throw new TypeError('Constructor Intl.' + name + ' requires \'new\'');
}


host.intl = { __proto__: null, ask, slots, stateOf, localeList, reader, inRange, coerced, strict, open, format, formatAll, formatRange, service, locally, made, needNew, list };
