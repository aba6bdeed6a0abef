// The next times, in UTC, at which a five-field cron expression fires. A step forward jumps over whole months, days
// and hours that cannot match, so a distant 29 February costs as little as the next minute.
const fields = [
  { name: 'minute', low: 0, high: 59 },
  { name: 'hour', low: 0, high: 23 },
  { name: 'day of month', low: 1, high: 31 },
  { name: 'month', low: 1, high: 12, words: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] },
  { name: 'day of week', low: 0, high: 7, words: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
const macros = {
  '@hourly': '0 * * * *', '@daily': '0 0 * * *', '@midnight': '0 0 * * *', '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *', '@yearly': '0 0 1 1 *', '@annually': '0 0 1 1 *',
};
// The calendar repeats after 400 years, but no expression that ever fires waits longer than from one 29 February to
// the next across a year like 2100.
const horizonYears = 9;

function number(text, field) {
  const word = field.words?.indexOf(text.toLowerCase()) ?? -1;
  const n = word >= 0 ? word + field.low : /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(n >= field.low && n <= field.high)) throw new Error(`invalid ${field.name}: ${text}`);
  return n;
}

function parse(text, field) {
  const allowed = new Set();
  for (const item of text.split(',')) {
    const [range, step, extra] = item.split('/');
    const every = step === undefined ? 1 : Number(step);
    if (extra !== undefined || !Number.isInteger(every) || every < 1) throw new Error(`invalid ${field.name}: ${item}`);
    let low = field.low;
    let high = field.high;
    if (range !== '*' && range !== '?') {
      const [first, last, more] = range.split('-');
      if (more !== undefined) throw new Error(`invalid ${field.name}: ${item}`);
      low = number(first, field);
      high = last !== undefined ? number(last, field) : step !== undefined ? field.high : low;
      if (high < low) throw new Error(`invalid ${field.name}: ${item}`);
    }
    for (let n = low; n <= high; n += every) allowed.add(n);
  }
  return allowed;
}

const words = (macros[expression.trim().toLowerCase()] ?? expression.trim()).split(/\s+/);
if (words.length !== 5) throw new Error(`expected 5 fields, got ${words.length}`);
const [minutes, hours, days, months, weekdays] = words.map((word, i) => parse(word, fields[i]));
if (weekdays.has(7)) weekdays.add(0);
// When both day fields are restricted, either may match.
const restricted = (word) => !/^[*?]/.test(word);
const eitherDay = restricted(words[2]) && restricted(words[4]);

const wanted = count === undefined ? 1 : Number(count);
if (!Number.isInteger(wanted) || wanted < 1 || wanted > 100) throw new Error('count must be 1..100');
const start = from === undefined ? new Date() : new Date(from);
if (Number.isNaN(start.getTime())) throw new Error(`not a date: ${from}`);

const at = new Date(start.getTime());
at.setUTCSeconds(0, 0);
at.setUTCMinutes(at.getUTCMinutes() + 1);
const lastYear = start.getUTCFullYear() + horizonYears * wanted;
const times = [];
while (times.length < wanted && at.getUTCFullYear() <= lastYear) {
  const day = days.has(at.getUTCDate());
  const weekday = weekdays.has(at.getUTCDay());
  if (!months.has(at.getUTCMonth() + 1)) {
    at.setUTCMonth(at.getUTCMonth() + 1, 1);
    at.setUTCHours(0, 0);
  } else if (eitherDay ? !day && !weekday : !day || !weekday) {
    at.setUTCDate(at.getUTCDate() + 1);
    at.setUTCHours(0, 0);
  } else if (!hours.has(at.getUTCHours())) {
    at.setUTCHours(at.getUTCHours() + 1, 0);
  } else {
    if (minutes.has(at.getUTCMinutes())) times.push(at.toISOString());
    at.setUTCMinutes(at.getUTCMinutes() + 1);
  }
}
if (times.length === 0) throw new Error(`never fires: ${expression}`);
return times;
