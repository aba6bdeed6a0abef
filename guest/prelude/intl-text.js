// installs: Intl.Collator Intl.ListFormat Intl.RelativeTimeFormat Intl.DisplayNames Intl.Segmenter String.prototype.localeCompare String.prototype.toLocaleUpperCase String.prototype.toLocaleLowerCase
// needs: intl.resolve intl.format intl.locales
// after: intl.js

'use strict'; // `this` of a method may be a number or a text

const { abs, charCodeAt, indexOf, mapGet, mapSet, parse, substring, toLowerCase, toUpperCase, weakGet, weakSet, defineProperty, floor, Map, Number, RangeError, String, Symbol, TypeError, WeakMap } = primordials;
const { coerced, format, formatAll, formatRange, list, localeList, locally, made, needNew, open, service, slots, stateOf, strict } = host.intl;

function Collator(locales, options) {
  return open(made(new.target, Collator), 'Collator', locales, coerced(options), readCollator);
}

function readCollator(option) {
  const fields = { __proto__: null, usage: option('usage', ['sort', 'search'], 'sort') };
  fields.collation = option.type('collation');
  fields.numeric = option.flag('numeric');
  fields.caseFirst = option('caseFirst', ['upper', 'lower', 'false']);
  fields.sensitivity = option('sensitivity', ['base', 'accent', 'case', 'variant']);
  fields.ignorePunctuation = option.flag('ignorePunctuation');
  return fields;
}

// The order of ASCII in every language but those that have letters of their own in it. A sort asks thousands of times,
// so two plain texts are compared here.
const order = ' _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ';
const weights = list();
for (let n = 0; n < 128; n++) weights[n] = 0;
for (let n = 0; n < order.length; n++) {
  const letter = n - indexOf(order, 'a');
  weights[charCodeAt(order, n)] = letter < 0 ? 2 * n + 2 : 2 * (n - letter) + 2 + 2 * floor(letter / 2) + (letter & 1);
}
const plainLanguages = ' ar bg bn ca de el en es fa fi fr he hi id it ja ko ms nl pl pt ro ru sl sr sv sw ta te th uk ur vi zh ';

// ascii compares two texts of printable ASCII: first by letter, then small before capital. undefined: not such texts.
function ascii(a, b) {
  const shorter = a.length < b.length ? a.length : b.length;
  let first = 0, second = 0;
  for (let n = 0; n < shorter; n++) {
    const x = charCodeAt(a, n), y = charCodeAt(b, n);
    if (x > 126 || y > 126 || x < 32 || y < 32) return undefined;
    if (first !== 0 || x === y) continue;
    const v = weights[x], w = weights[y];
    if (v >> 1 !== w >> 1) first = v < w ? -1 : 1;
    else if (second === 0) second = v < w ? -1 : 1;
  }
  const longer = a.length < b.length ? b : a;
  for (let n = shorter; n < longer.length; n++) {
    const x = charCodeAt(longer, n);
    if (x > 126 || x < 32) return undefined;
  }
  if (first !== 0) return first;
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  return second;
}

function compare(state, a, b) {
  if (a === b) return 0;
  if (state.plain === undefined) {
    const o = parse(state.resolved);
    const hyphen = indexOf(o.locale, '-');
    const language = hyphen < 0 ? o.locale : substring(o.locale, 0, hyphen);
    state.plain = o.sensitivity === 'variant' && !o.numeric && !o.ignorePunctuation && o.caseFirst === 'false' && o.collation === 'default' &&
      indexOf(plainLanguages, ' ' + language + ' ') >= 0;
  }
  if (state.plain) {
    const result = ascii(a, b);
    if (result !== undefined) return result;
  }
  const x = keyOf(state, a), y = keyOf(state, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

// Sort keys a collator remembers; when there are more, it starts again from none.
const mostKeys = 4096;

function keyOf(state, text) {
  if (state.keys === undefined || state.keyCount >= mostKeys) {
    state.keys = new Map();
    state.keyCount = 0;
  }
  let key = mapGet(state.keys, text);
  if (key === undefined) {
    key = format(state, 'key', text);
    mapSet(state.keys, text, key);
    state.keyCount++;
  }
  return key;
}

service('Collator', Collator, 0, {}, {
  compare: (state) => (a, b) => compare(state, String(a), String(b)),
});

let usual; // the collator of calls that name no locale
host.install('String.prototype.localeCompare', function localeCompare(that, locales, options) {
  if (this === undefined || this === null) throw new TypeError('String.prototype.localeCompare called on null or undefined');
  const a = String(this), b = String(that);
  const fresh = () => weakGet(slots, open({ __proto__: null }, 'Collator', locales, coerced(options), readCollator));
  return compare(locales === undefined && options === undefined ? usual ??= fresh() : fresh(), a, b);
});

// cased installs toLocaleUpperCase or toLocaleLowerCase. A few languages have rules of their own; the host knows them.
function cased(name, verb, usual) {
  const method = {
    [name](locales) {
      if (this === undefined || this === null) throw new TypeError('String.prototype.' + name + ' called on null or undefined');
      const text = String(this);
      const tags = localeList(locales);
      if (tags.length === 0) return usual(text);
      return locally(verb, tags, text)[0] ?? usual(text);
    },
  }[name];
  host.install('String.prototype.' + name, method);
}
cased('toLocaleUpperCase', 'upper', toUpperCase);
cased('toLocaleLowerCase', 'lower', toLowerCase);

function ListFormat(locales, options) {
  needNew(new.target, 'ListFormat');
  return open(made(new.target, ListFormat), 'ListFormat', locales, strict(options), (option) => ({
    __proto__: null,
    type: option('type', ['conjunction', 'disjunction', 'unit'], 'conjunction'),
    style: option('style', ['long', 'short', 'narrow'], 'long'),
  }));
}

// texts is StringListFromIterable.
function texts(values) {
  const found = list();
  if (values === undefined) return found;
  for (const value of values) {
    if (typeof value !== 'string') throw new TypeError('Iterable yielded a value which is not a string');
    found[found.length] = value;
  }
  return found;
}

service('ListFormat', ListFormat, 0, {
  format(values) { return formatAll(stateOf(this, 'ListFormat', 'format'), 'format', texts(values)); },
  formatToParts(values) { return parse(formatAll(stateOf(this, 'ListFormat', 'formatToParts'), 'parts', texts(values))); },
}, {});

function RelativeTimeFormat(locales, options) {
  needNew(new.target, 'RelativeTimeFormat');
  return open(made(new.target, RelativeTimeFormat), 'RelativeTimeFormat', locales, coerced(options), (option) => ({
    __proto__: null,
    numberingSystem: option.type('numberingSystem'),
    style: option('style', ['long', 'short', 'narrow'], 'long'),
    numeric: option('numeric', ['always', 'auto'], 'always'),
  }));
}

const timeUnits = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];

function relative(state, verb, value, unit) {
  const number = Number(value);
  let name = String(unit);
  if (name[name.length - 1] === 's') name = substring(name, 0, name.length - 1);
  let known = false;
  for (let n = 0; n < timeUnits.length; n++) known ||= timeUnits[n] === name;
  if (!known) throw new RangeError('Invalid unit argument for ' + (verb === 'parts' ? 'formatToParts' : 'format') + "() '" + String(unit) + "'");
  if (!(abs(number) < Infinity)) throw new RangeError('Invalid time value');
  return formatRange(state, verb, number === 0 && 1 / number < 0 ? '-0' : String(number), name);
}

service('RelativeTimeFormat', RelativeTimeFormat, 0, {
  format(value, unit) { return relative(stateOf(this, 'RelativeTimeFormat', 'format'), 'format', value, unit); },
  formatToParts(value, unit) { return parse(relative(stateOf(this, 'RelativeTimeFormat', 'formatToParts'), 'parts', value, unit)); },
}, {});

function DisplayNames(locales, options) {
  needNew(new.target, 'DisplayNames');
  if (options === undefined) throw new TypeError('options must be an object');
  return open(made(new.target, DisplayNames), 'DisplayNames', locales, strict(options), (option) => {
    const fields = { __proto__: null, style: option('style', ['narrow', 'short', 'long'], 'long') };
    fields.type = option('type', ['language', 'region', 'script', 'currency', 'calendar', 'dateTimeField']);
    if (fields.type === undefined) throw new TypeError("Required option 'type' must not be undefined");
    fields.fallback = option('fallback', ['code', 'none'], 'code');
    fields.languageDisplay = option('languageDisplay', ['dialect', 'standard']);
    return fields;
  });
}

service('DisplayNames', DisplayNames, 2, {
  of(code) { return parse(format(stateOf(this, 'DisplayNames', 'of'), 'of', String(code)))[0]; },
}, {});

function Segmenter(locales, options) {
  needNew(new.target, 'Segmenter');
  return open(made(new.target, Segmenter), 'Segmenter', locales, strict(options), (option) => ({
    __proto__: null, granularity: option('granularity', ['grapheme', 'word', 'sentence'], 'grapheme'),
  }));
}

// Segments -> { text, ends, words }: where each segment ends; those of words are negative.
const segmented = new WeakMap();

function piece(s, n) {
  const index = n === 0 ? 0 : abs(s.ends[n - 1]);
  const data = { segment: substring(s.text, index, abs(s.ends[n])), index, input: s.text };
  if (s.words) data.isWordLike = s.ends[n] < 0;
  return data;
}

const Segments = {
  containing(index) {
    const s = weakGet(segmented, this);
    let at = Number(index);
    at = at !== at ? 0 : at - (at % 1);
    if (!(at >= 0 && at < s.text.length)) return undefined;
    let low = 0, high = s.ends.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (abs(s.ends[middle]) > at) high = middle;
      else low = middle + 1;
    }
    return piece(s, low);
  },
  [Symbol.iterator]() {
    const s = weakGet(segmented, this);
    let n = 0;
    const iterator = {
      next: () => (n < s.ends.length ? { value: piece(s, n++), done: false } : { value: undefined, done: true }),
      [Symbol.iterator]() { return this; },
    };
    defineProperty(iterator, Symbol.toStringTag, { __proto__: null, value: 'Segmenter String Iterator', configurable: true });
    return iterator;
  },
};

service('Segmenter', Segmenter, 0, {
  segment(input) {
    const state = stateOf(this, 'Segmenter', 'segment');
    const text = String(input);
    const segments = { __proto__: Segments };
    weakSet(segmented, segments, {
      __proto__: null, text, ends: parse(format(state, 'segment', text)), words: parse(state.resolved).granularity === 'word',
    });
    return segments;
  },
}, {});
