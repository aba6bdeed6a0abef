// installs: Intl.Locale Intl.getCanonicalLocales Intl.supportedValuesOf
// needs: intl.resolve intl.format intl.locales
// after: intl.js

'use strict'; // `this` of a method may be a number or a text

const { defineProperty, getOwnPropertyDescriptor, keys, weakGet, weakSet, RangeError, String, Symbol, TypeError } = primordials;
const { coerced, list, localeList, locally, made, needNew, reader, slots, stateOf } = host.intl;

host.install('Intl.getCanonicalLocales', { getCanonicalLocales(locales) { return locally('canonical', localeList(locales)); } }.getCanonicalLocales);
host.install('Intl.supportedValuesOf', { supportedValuesOf(key) { return locally('values', list(), String(key)); } }.supportedValuesOf);

const one = (tag) => {
  const tags = list();
  tags[0] = tag;
  return tags;
};
const partsOf = (tag) => locally('parts', one(tag));

// The options that become keywords of the -u- extension.
const keywords = { __proto__: null, calendar: 'ca', collation: 'co', hourCycle: 'hc', caseFirst: 'kf', numeric: 'kn', numberingSystem: 'nu' };

function Locale(tag, options) {
  needNew(new.target, 'Locale');
  if (typeof tag !== 'string' && (typeof tag !== 'object' || tag === null)) throw new TypeError('First argument to Intl.Locale constructor can\'t be empty or missing');
  const given = weakGetLocale(tag);
  const parts = partsOf(given === undefined ? String(tag) : given.tag);
  const option = reader(coerced(options), 'Locale');
  const language = option('language') ?? parts.language;
  const script = option('script') ?? parts.script;
  const region = option('region') ?? parts.region;
  let base = parts.base;
  if (language !== parts.language || script !== parts.script || region !== parts.region) {
    base = language + (script === '' ? '' : '-' + script) + (region === '' ? '' : '-' + region);
  }
  const values = { __proto__: null };
  values.ca = option.type('calendar');
  values.co = option.type('collation');
  values.hc = option('hourCycle', ['h11', 'h12', 'h23', 'h24']);
  values.kf = option('caseFirst', ['upper', 'lower', 'false']);
  const numeric = option.flag('numeric');
  if (numeric !== undefined) values.kn = numeric ? '' : 'false';
  values.nu = option.type('numberingSystem');
  let extension = '';
  const given_ = keys(parts.keywords);
  for (let n = 0; n < given_.length; n++) {
    if (values[given_[n]] === undefined) values[given_[n]] = parts.keywords[given_[n]];
  }
  const names = keys(values);
  for (let n = 0; n < names.length; n++) {
    const value = values[names[n]];
    if (value !== undefined) extension += '-' + names[n] + (value === '' ? '' : '-' + value);
  }
  const object = made(new.target, Locale);
  weakSet(slots, object, { __proto__: null, service: 'Locale', tag: partsOf(base + (extension === '' ? '' : '-u' + extension)).tag });
  return object;
}

const weakGetLocale = (value) => {
  const state = typeof value === 'object' ? weakGet(slots, value) : undefined;
  return state !== undefined && state.service === 'Locale' ? state : undefined;
};

const methods = {
  toString() { return stateOf(this, 'Locale', 'toString').tag; },
  maximize() { return new Locale(locally('maximize', one(stateOf(this, 'Locale', 'maximize').tag))[0]); },
  minimize() { return new Locale(locally('minimize', one(stateOf(this, 'Locale', 'minimize').tag))[0]); },
};
const methodNames = keys(methods);
for (let n = 0; n < methodNames.length; n++) {
  const name = methodNames[n];
  defineProperty(Locale.prototype, name, { __proto__: null, value: methods[name], writable: true, configurable: true });
}

const getter = (name, read) => {
  const accessor = { get [name]() { return read(partsOf(stateOf(this, 'Locale', name).tag)); } };
  defineProperty(Locale.prototype, name, { ...getOwnPropertyDescriptor(accessor, name), enumerable: false });
};
getter('baseName', (parts) => parts.base);
getter('language', (parts) => parts.language);
getter('script', (parts) => (parts.script === '' ? undefined : parts.script));
getter('region', (parts) => (parts.region === '' ? undefined : parts.region));
const keywordNames = keys(keywords);
for (let n = 0; n < keywordNames.length; n++) {
  const name = keywordNames[n];
  getter(name, name === 'numeric' ? (parts) => parts.keywords.kn === '' : (parts) => parts.keywords[keywords[name]]);
}
defineProperty(Locale.prototype, Symbol.toStringTag, { __proto__: null, value: 'Intl.Locale', configurable: true });
defineProperty(Locale, 'length', { __proto__: null, value: 1, configurable: true });
host.install('Intl.Locale', Locale);
