// installs: Intl.DateTimeFormat Date.prototype.toLocaleString Date.prototype.toLocaleDateString Date.prototype.toLocaleTimeString
// needs: intl.resolve intl.format intl.locales
// after: intl.js

'use strict'; // `this` of a method may be a number or a text

const { parse, timeOf, trunc, weakGet, Date, Number, RangeError, String, TypeError } = primordials;
const { coerced, format, formatRange, made, open, service, stateOf, slots } = host.intl;

const narrow = ['narrow', 'short', 'long'];
const digits = ['2-digit', 'numeric'];
const styles = ['full', 'long', 'medium', 'short'];
// The components in the order in which ECMA-402 reads them; fractionalSecondDigits is read between two of them.
const components = [
  ['weekday', narrow], ['era', narrow], ['year', digits], ['month', ['2-digit', 'numeric', 'narrow', 'short', 'long']], ['day', digits],
  ['dayPeriod', narrow], ['hour', digits], ['minute', digits], ['second', digits], ['fractionalSecondDigits'],
  ['timeZoneName', ['short', 'long', 'shortOffset', 'longOffset', 'shortGeneric', 'longGeneric']],
];

// read returns the options; required and defaults say which components there are when none was asked for.
const read = (required, defaults) => (option) => {
  const fields = { __proto__: null, required, defaults };
  fields.calendar = option.type('calendar');
  fields.numberingSystem = option.type('numberingSystem');
  fields.hour12 = option.flag('hour12');
  fields.hourCycle = option('hourCycle', ['h11', 'h12', 'h23', 'h24']);
  fields.timeZone = option('timeZone');
  if (fields.timeZone === '') throw new RangeError('Invalid time zone specified: ');
  let explicit;
  for (let n = 0; n < components.length; n++) {
    const { 0: name, 1: values } = components[n];
    const value = values === undefined ? option.number(name, 1, 3) : option(name, values);
    if (value === undefined) continue;
    fields[name] = value;
    explicit ??= name;
  }
  option('formatMatcher', ['basic', 'best fit']);
  fields.dateStyle = option('dateStyle', styles);
  fields.timeStyle = option('timeStyle', styles);
  const style = fields.dateStyle !== undefined ? 'dateStyle' : 'timeStyle';
  if (fields[style] !== undefined) {
    if (explicit !== undefined) throw new TypeError('Can\'t set option ' + explicit + ' when ' + style + ' is used');
    if (required === 'date' && fields.timeStyle !== undefined) throw new TypeError('Invalid option : timeStyle');
    if (required === 'time' && fields.dateStyle !== undefined) throw new TypeError('Invalid option : dateStyle');
  }
  return fields;
};

function DateTimeFormat(locales, options) {
  return open(made(new.target, DateTimeFormat), 'DateTimeFormat', locales, coerced(options), read('any', 'date'));
}

// Milliseconds since 1970 that a Date can hold, as text.
function time(value) {
  const ms = Number(value);
  if (!(ms >= -8.64e15 && ms <= 8.64e15)) throw new RangeError('Invalid time value');
  return String(trunc(ms) + 0);
}

const moment = (value) => time(value === undefined ? timeOf(new Date()) : value);

function range(state, verb, start, end) {
  if (start === undefined || end === undefined) throw new TypeError('startDate or endDate cannot be undefined');
  return formatRange(state, verb, time(start), time(end));
}

service('DateTimeFormat', DateTimeFormat, 0, {
  formatToParts(date) { return parse(format(stateOf(this, 'DateTimeFormat', 'formatToParts'), 'parts', moment(date))); },
  formatRange(start, end) { return range(stateOf(this, 'DateTimeFormat', 'formatRange'), 'range', start, end); },
  formatRangeToParts(start, end) { return parse(range(stateOf(this, 'DateTimeFormat', 'formatRangeToParts'), 'rangeParts', start, end)); },
}, {
  format: (state) => (date) => format(state, 'format', moment(date)),
});

const locally = (name, required, defaults) => {
  const method = {
    [name](locales, options) {
      const ms = timeOf(this);
      if (ms !== ms) return 'Invalid Date';
      const f = open({ __proto__: null }, 'DateTimeFormat', locales, coerced(options), read(required, defaults));
      return format(weakGet(slots, f), 'format', String(ms));
    },
  }[name];
  host.install('Date.prototype.' + name, method);
};
locally('toLocaleString', 'any', 'all');
locally('toLocaleDateString', 'date', 'date');
locally('toLocaleTimeString', 'time', 'time');
