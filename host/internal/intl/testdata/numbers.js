// Cases for numbers and plurals.
const locales = ['en', 'en-GB', 'en-IN', 'ko', 'ja', 'zh', 'zh-TW', 'de', 'de-AT', 'de-CH', 'fr', 'fr-CA', 'es', 'es-MX', 'pt', 'pt-PT', 'ar', 'ar-EG', 'it', 'nl', 'ru', 'pl', 'tr', 'sv', 'hi', 'he', 'cs', 'uk', 'id', 'vi', 'fi', 'da', 'th', 'fa', 'bn'];
const few = ['en', 'ko', 'ja', 'zh', 'de', 'fr', 'es', 'pt', 'ar'];
const values = [0, -0, 1, -1, 0.5, 1234.5678, -98765.4321, 1e6, 123456789.987, 1e21, 1.5e-7, NaN, Infinity, -Infinity];
const options = [
  {}, { maximumFractionDigits: 0 }, { minimumFractionDigits: 2 }, { minimumFractionDigits: 2, maximumFractionDigits: 4 }, { maximumSignificantDigits: 3 }, { minimumSignificantDigits: 5 }, { minimumIntegerDigits: 3 }, { useGrouping: false }, { useGrouping: 'min2' }, { useGrouping: 'always' },
  { style: 'percent' }, { style: 'percent', minimumFractionDigits: 1 }, { signDisplay: 'always' }, { signDisplay: 'never' }, { signDisplay: 'exceptZero' }, { signDisplay: 'negative' },
  { notation: 'scientific' }, { notation: 'engineering' }, { notation: 'scientific', maximumFractionDigits: 1 }, { notation: 'compact' }, { notation: 'compact', compactDisplay: 'long' }, { notation: 'compact', maximumFractionDigits: 2 },
  { style: 'currency', currency: 'USD' }, { style: 'currency', currency: 'EUR' }, { style: 'currency', currency: 'JPY' }, { style: 'currency', currency: 'KRW', currencyDisplay: 'name' }, { style: 'currency', currency: 'USD', currencyDisplay: 'code' }, { style: 'currency', currency: 'CAD', currencyDisplay: 'narrowSymbol' }, { style: 'currency', currency: 'USD', currencySign: 'accounting' }, { style: 'currency', currency: 'CHF', signDisplay: 'always' }, { style: 'currency', currency: 'USD', notation: 'compact' }, { style: 'currency', currency: 'BHD' }, { style: 'currency', currency: 'EUR', currencyDisplay: 'name' },
  { style: 'unit', unit: 'kilometer-per-hour' }, { style: 'unit', unit: 'liter', unitDisplay: 'long' }, { style: 'unit', unit: 'megabyte', unitDisplay: 'narrow' }, { style: 'unit', unit: 'celsius' }, { style: 'unit', unit: 'byte-per-second', unitDisplay: 'long' }, { style: 'unit', unit: 'percent' }, { style: 'unit', unit: 'day', unitDisplay: 'long', notation: 'compact' },
  { roundingMode: 'floor', maximumFractionDigits: 1 }, { roundingMode: 'halfEven', maximumFractionDigits: 0 }, { roundingIncrement: 5, maximumFractionDigits: 2, minimumFractionDigits: 2 }, { trailingZeroDisplay: 'stripIfInteger', minimumFractionDigits: 2 }, { roundingPriority: 'morePrecision', maximumFractionDigits: 2, maximumSignificantDigits: 2 }, { roundingPriority: 'lessPrecision', maximumFractionDigits: 2, maximumSignificantDigits: 2 },
];
for (const l of few) for (const o of options) for (const v of values) add('number', l, [o, String(v)], () => new Intl.NumberFormat(l, o).format(v));
for (const l of locales) for (const o of options) for (const v of [-1234567.891, 1]) add('number', l, [o, v], () => new Intl.NumberFormat(l, o).format(v));
for (const l of few) for (const o of options) add('parts', l, o, () => new Intl.NumberFormat(l, o).formatToParts(-1234567.891).map((p) => p.type + '=' + p.value).join('|'));
for (const o of options) add('resolved', 'en', o, () => JSON.stringify(new Intl.NumberFormat('en', o).resolvedOptions()));
const compact = [999, 1000, 1049, 1050, 1234, 9999, 12345, 99950, 123456, 999999, 1234567, 12345678, 1.5e9, 1e12, 1.234e15, 1e18, 15.5, 1.55, 0.123, 0];
for (const l of locales) for (const v of compact) {
  add('compact', l, v, () => new Intl.NumberFormat(l, { notation: 'compact' }).format(v));
  add('compact long', l, v, () => new Intl.NumberFormat(l, { notation: 'compact', compactDisplay: 'long' }).format(v));
}
for (const mode of ['ceil', 'floor', 'expand', 'trunc', 'halfCeil', 'halfFloor', 'halfExpand', 'halfTrunc', 'halfEven']) for (const v of [1.5, 2.5, -1.5, -2.5, 1.4, 1.6, -1.4, -1.6, 0.5, -0.5, 0.05, 99.95]) {
  add('rounding', mode, v, () => new Intl.NumberFormat('en', { roundingMode: mode, maximumFractionDigits: 0 }).format(v) + ' ' + new Intl.NumberFormat('en', { roundingMode: mode, maximumSignificantDigits: 1 }).format(v) + ' ' + new Intl.NumberFormat('en', { roundingMode: mode, roundingIncrement: 25, maximumFractionDigits: 2, minimumFractionDigits: 2 }).format(v));
}
const units = ['acre', 'bit', 'byte', 'celsius', 'centimeter', 'day', 'degree', 'fahrenheit', 'fluid-ounce', 'foot', 'gallon', 'gigabit', 'gigabyte', 'gram', 'hectare', 'hour', 'inch', 'kilobit', 'kilobyte', 'kilogram', 'kilometer', 'liter', 'megabit', 'megabyte', 'meter', 'microsecond', 'mile', 'mile-scandinavian', 'milliliter', 'millimeter', 'millisecond', 'minute', 'month', 'nanosecond', 'ounce', 'percent', 'petabyte', 'pound', 'second', 'stone', 'terabit', 'terabyte', 'week', 'yard', 'year', 'meter-per-second', 'kilobyte-per-second', 'liter-per-kilometer', 'mile-per-gallon', 'gram-per-liter', 'mile-per-hour', 'byte-per-day'];
for (const l of ['en', 'ko', 'de', 'fr', 'ja', 'ar']) for (const unit of units) for (const unitDisplay of ['long', 'short', 'narrow']) add('unit', l, [unit, unitDisplay], () => new Intl.NumberFormat(l, { style: 'unit', unit, unitDisplay }).format(2) + ' ' + new Intl.NumberFormat(l, { style: 'unit', unit, unitDisplay }).format(1));
for (const l of few) for (const currency of ['USD', 'EUR', 'GBP', 'JPY', 'KRW', 'CNY', 'INR', 'BRL', 'CHF', 'CLP', 'XXX', 'ZZZ', 'TND']) for (const currencyDisplay of ['symbol', 'narrowSymbol', 'code', 'name']) add('currency', l, [currency, currencyDisplay], () => new Intl.NumberFormat(l, { style: 'currency', currency, currencyDisplay }).format(-1.5) + ' ' + new Intl.NumberFormat(l, { style: 'currency', currency, currencyDisplay, currencySign: 'accounting' }).format(-1234));
for (const l of locales) for (const n of [0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 21, 22, 23, 100, 101, 1.5, 0.1, 1e6]) {
  add('plural', l, n, () => new Intl.PluralRules(l).select(n) + ' ' + new Intl.PluralRules(l, { type: 'ordinal' }).select(n) + ' ' + new Intl.PluralRules(l, { minimumFractionDigits: 1 }).select(n));
}
for (const l of locales) add('plural', l, 'resolved', () => JSON.stringify(new Intl.PluralRules(l).resolvedOptions()) + new Intl.PluralRules(l, { type: 'ordinal' }).resolvedOptions().pluralCategories);
for (const l of few) for (const [a, b] of [[0, 1], [1, 2], [1, 5], [102, 201]]) add('plural range', l, [a, b], () => new Intl.PluralRules(l).selectRange(a, b));
const ranges = [{}, { style: 'currency', currency: 'USD' }, { style: 'currency', currency: 'EUR', maximumFractionDigits: 0 }, { style: 'unit', unit: 'meter' }, { style: 'unit', unit: 'day', unitDisplay: 'long' }, { style: 'percent' }, { notation: 'compact' }, { style: 'currency', currency: 'USD', currencyDisplay: 'name' }, { maximumFractionDigits: 0 }, { signDisplay: 'always' }];
for (const l of few) for (const o of ranges) for (const [a, b] of [[3, 5], [1, 1], [2.9, 3.1], [-5, 3], [-5, -3], [1e3, 5e6], [1e6, 2e6], [3, Infinity]]) {
  add('range', l, [o, a, String(b)], () => new Intl.NumberFormat(l, o).formatRange(a, b));
}
for (const o of ranges) add('rangeParts', 'en', o, () => new Intl.NumberFormat('en', o).formatRangeToParts(3, 5).map((p) => p.source[0] + p.type + '=' + p.value).join('|'));
for (const v of ['123456789012345678901234567890.123456789', '1e400', '-0', ' 12 ', '', 'abc', '0x10', '1e-400', null, true, undefined, 123456789012345678901234567890n]) add('value', 'en', typeof v === 'bigint' ? 'big' : v, () => new Intl.NumberFormat('en', { maximumFractionDigits: 20 }).format(v));
for (const o of [{ style: 'currency' }, { style: 'unit' }, { style: 'unit', unit: 'parsec' }, { style: 'x' }, { currency: 'US' }, { currency: 'U$D' }, { minimumFractionDigits: 101 }, { maximumFractionDigits: -1 }, { minimumFractionDigits: 5, maximumFractionDigits: 2 }, { minimumSignificantDigits: 5, maximumSignificantDigits: 2 }, { roundingIncrement: 3 }, { roundingIncrement: 5, maximumSignificantDigits: 3 }, { roundingIncrement: 5, maximumFractionDigits: 1, minimumFractionDigits: 0 }, { useGrouping: 'maybe' }, { notation: 'x' }, { minimumIntegerDigits: 0 }, { maximumFractionDigits: NaN }, { signDisplay: null }]) add('bad', 'en', o, () => new Intl.NumberFormat('en', o).format(1));
add('bad', 'en', 'symbol', () => new Intl.NumberFormat('en').format(Symbol('x')));
add('bad', 'en', 'plural', () => Intl.PluralRules('en'));
add('bad', 'en', 'range NaN', () => new Intl.NumberFormat('en').formatRange(1, NaN));
add('method', 'en', '', () => (1234.5).toLocaleString() + ' ' + (1234n).toLocaleString('de') + ' ' + [1234.5, new Date(0), 'x', null].toLocaleString('en', { timeZone: 'UTC' }));
add('method', 'de', '', () => (0.256).toLocaleString('de', { style: 'percent' }) + Intl.NumberFormat('de')['format'](12345.678));
for (const l of ['de-u-nu-arab', 'ar-u-nu-latn', 'en-u-nu-thai', 'hi-u-nu-deva', 'en-u-nu-bogus', 'th-u-nu-thai']) add('extension', l, '', () => new Intl.NumberFormat(l).format(1234.5) + ' ' + JSON.stringify(new Intl.NumberFormat(l).resolvedOptions()));
