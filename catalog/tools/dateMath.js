// Adds a number of units to an instant, in UTC. Months and years keep the day of the month and run over into the
// next month when it has no such day, as Date does: 31 January and one month is 2 or 3 March.
const setters = {
  millisecond: ['getUTCMilliseconds', 'setUTCMilliseconds', 1],
  second: ['getUTCSeconds', 'setUTCSeconds', 1],
  minute: ['getUTCMinutes', 'setUTCMinutes', 1],
  hour: ['getUTCHours', 'setUTCHours', 1],
  day: ['getUTCDate', 'setUTCDate', 1],
  week: ['getUTCDate', 'setUTCDate', 7],
  month: ['getUTCMonth', 'setUTCMonth', 1],
  year: ['getUTCFullYear', 'setUTCFullYear', 1],
};
const aliases = { ms: 'millisecond', s: 'second', sec: 'second', min: 'minute', h: 'hour', d: 'day', w: 'week', y: 'year' };

const date = new Date(text);
if (Number.isNaN(date.getTime())) throw new Error(`not a date: ${text}`);
const word = String(unit).toLowerCase();
const name = aliases[word] ?? word.replace(/s$/, '');
if (!Object.hasOwn(setters, name)) throw new Error(`unsupported unit: ${unit}`);
const count = Number(amount);
if (!Number.isInteger(count)) throw new Error(`amount must be a whole number: ${amount}`);

const [get, set, factor] = setters[name];
date[set](date[get]() + count * factor);
if (Number.isNaN(date.getTime())) throw new Error('the result is outside the range of dates');
return date.toISOString();
