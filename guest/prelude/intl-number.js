// installs: Intl.NumberFormat Intl.PluralRules Number.prototype.toLocaleString BigInt.prototype.toLocaleString Array.prototype.toLocaleString
// needs: intl.resolve intl.format intl.locales
// after: intl.js

'use strict'; // `this` of a method may be a number or a text

const { apply, bigOf, exec, numberOf, parse, toUpperCase, trim, weakGet, Number, Object, RangeError, RegExp, String, Symbol, TypeError } = primordials;
const { coerced, format, formatRange, inRange, made, needNew, open, service, slots, stateOf } = host.intl;

const currencyCode = new RegExp('^[A-Za-z]{3}$');
const decimalText = new RegExp('^[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?$');

const increments = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];

// readDigits is the reading half of SetNumberFormatDigitOptions; the host does the other.
function readDigits(option, fields) {
  fields.minimumIntegerDigits = option.number('minimumIntegerDigits', 1, 21);
  const minimumFractionDigits = option.raw('minimumFractionDigits');
  const maximumFractionDigits = option.raw('maximumFractionDigits');
  const minimumSignificantDigits = option.raw('minimumSignificantDigits');
  const maximumSignificantDigits = option.raw('maximumSignificantDigits');
  fields.roundingIncrement = option.number('roundingIncrement', 1, 5000);
  if (fields.roundingIncrement !== undefined) {
    let known = false;
    for (let n = 0; n < increments.length; n++) known ||= increments[n] === fields.roundingIncrement;
    if (!known) throw new RangeError('roundingIncrement value is out of range.');
  }
  fields.roundingMode = option('roundingMode', ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven']);
  fields.roundingPriority = option('roundingPriority', ['auto', 'morePrecision', 'lessPrecision']);
  fields.trailingZeroDisplay = option('trailingZeroDisplay', ['auto', 'stripIfInteger']);
  fields.minimumFractionDigits = inRange(minimumFractionDigits, 'minimumFractionDigits', 0, 100);
  fields.maximumFractionDigits = inRange(maximumFractionDigits, 'maximumFractionDigits', 0, 100);
  fields.minimumSignificantDigits = inRange(minimumSignificantDigits, 'minimumSignificantDigits', 1, 21);
  fields.maximumSignificantDigits = inRange(maximumSignificantDigits, 'maximumSignificantDigits', 1, 21);
}

function read(option) {
  const fields = { __proto__: null };
  fields.numberingSystem = option.type('numberingSystem');
  fields.style = option('style', ['decimal', 'percent', 'currency', 'unit'], 'decimal');
  const currency = option('currency');
  if (currency === undefined) {
    if (fields.style === 'currency') throw new TypeError('Currency code is required with currency style.');
  } else if (exec(currencyCode, currency) === null) throw new RangeError('Invalid currency code : ' + currency);
  else fields.currency = toUpperCase(currency);
  fields.currencyDisplay = option('currencyDisplay', ['code', 'symbol', 'narrowSymbol', 'name']);
  fields.currencySign = option('currencySign', ['standard', 'accounting']);
  fields.unit = option('unit');
  if (fields.unit === undefined && fields.style === 'unit') throw new TypeError('Unit is required with unit style.');
  fields.unitDisplay = option('unitDisplay', ['short', 'narrow', 'long']);
  fields.notation = option('notation', ['standard', 'scientific', 'engineering', 'compact']);
  readDigits(option, fields);
  fields.compactDisplay = option('compactDisplay', ['short', 'long']);
  fields.useGrouping = grouping(option.raw('useGrouping'));
  fields.signDisplay = option('signDisplay', ['auto', 'never', 'always', 'exceptZero', 'negative']);
  return fields;
}

// grouping is GetBooleanOrStringNumberFormatOption; undefined leaves the choice to the notation.
function grouping(value) {
  if (value === undefined) return undefined;
  if (value === true) return 'always';
  if (!value) return 'false';
  const text = String(value);
  if (text === 'true' || text === 'false') return undefined;
  if (text === 'min2' || text === 'auto' || text === 'always') return text;
  throw new RangeError('Value ' + text + ' out of range for Intl.NumberFormat options property useGrouping');
}

function NumberFormat(locales, options) {
  return open(made(new.target, NumberFormat), 'NumberFormat', locales, coerced(options), read);
}

// decimal is a value as ToIntlMathematicalValue sees it, as text: texts of numbers keep all their digits.
function decimal(value) {
  const primitive = typeof value === 'object' && value !== null || typeof value === 'function' ? toPrimitive(value) : value;
  if (typeof primitive === 'bigint') return String(primitive);
  if (typeof primitive === 'string') {
    const text = trim(primitive);
    if (exec(decimalText, text) !== null) return text;
  }
  const number = Number(primitive);
  return number === 0 && 1 / number < 0 ? '-0' : String(number);
}

// toPrimitive prefers a number, as arithmetic does: "+" would turn a BigInt down.
function toPrimitive(value) {
  const convert = value[Symbol.toPrimitive];
  if (convert !== undefined && convert !== null) return apply(convert, value, ['number']);
  const plain = value.valueOf();
  return typeof plain === 'object' && plain !== null ? String(value) : plain;
}

function range(state, verb, start, end) {
  if (start === undefined || end === undefined) throw new TypeError('start or end cannot be undefined');
  return formatRange(state, verb, decimal(start), decimal(end));
}

service('NumberFormat', NumberFormat, 0, {
  formatToParts(value) { return parse(format(stateOf(this, 'NumberFormat', 'formatToParts'), 'parts', decimal(value))); },
  formatRange(start, end) { return range(stateOf(this, 'NumberFormat', 'formatRange'), 'range', start, end); },
  formatRangeToParts(start, end) { return parse(range(stateOf(this, 'NumberFormat', 'formatRangeToParts'), 'rangeParts', start, end)); },
}, {
  format: (state) => (value) => format(state, 'format', decimal(value)),
}, (options) => {
  if (options.useGrouping === 'false') options.useGrouping = false;
  return options;
});

function PluralRules(locales, options) {
  needNew(new.target, 'PluralRules');
  return open(made(new.target, PluralRules), 'PluralRules', locales, coerced(options), (option) => {
    const fields = { __proto__: null, type: option('type', ['cardinal', 'ordinal'], 'cardinal') };
    readDigits(option, fields);
    return fields;
  });
}

// number is a value as ToNumber sees it, as text.
function number(value) {
  const n = Number(typeof value === 'bigint' ? fail() : value);
  return n === 0 && 1 / n < 0 ? '-0' : String(n);
}

function fail() {
  throw new TypeError('Cannot convert a BigInt value to a number');
}

service('PluralRules', PluralRules, 0, {
  select(value) { return format(stateOf(this, 'PluralRules', 'select'), 'select', number(value)); },
  selectRange(start, end) {
    const state = stateOf(this, 'PluralRules', 'selectRange');
    if (start === undefined || end === undefined) throw new TypeError('start or end cannot be undefined');
    const a = number(start), b = number(end);
    if (a === 'NaN' || b === 'NaN') throw new RangeError('Invalid number value');
    return formatRange(state, 'selectRange', a, b);
  },
}, {});

const once = (locales, options, value) =>
  format(weakGet(slots, open({ __proto__: null }, 'NumberFormat', locales, coerced(options), read)), 'format', decimal(value));

host.install('Number.prototype.toLocaleString', function toLocaleString(locales, options) { return once(locales, options, numberOf(this)); });
host.install('BigInt.prototype.toLocaleString', function toLocaleString(locales, options) { return once(locales, options, bigOf(this)); });
host.install('Array.prototype.toLocaleString', function toLocaleString(locales, options) {
  const items = Object(this);
  let text = '';
  for (let n = 0; n < items.length; n++) {
    const item = items[n];
    if (n > 0) text += ',';
    if (item !== undefined && item !== null) text += String(item.toLocaleString(locales, options));
  }
  return text;
});
