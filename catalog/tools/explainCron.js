// Says in words when a five-field cron expression fires.
const macros = {
  '@hourly': '0 * * * *', '@daily': '0 0 * * *', '@midnight': '0 0 * * *', '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *', '@yearly': '0 0 1 1 *', '@annually': '0 0 1 1 *',
};
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const fields = [
  { name: 'minute', low: 0, high: 59, show: (n) => `minute ${n}` },
  { name: 'hour', low: 0, high: 23, show: (n) => `${String(n).padStart(2, '0')}:00` },
  { name: 'day of month', low: 1, high: 31, show: (n) => `day ${n}` },
  { name: 'month', low: 1, high: 12, show: (n) => months[n - 1] },
  { name: 'day of week', low: 0, high: 7, show: (n) => weekdays[n % 7] },
];

function number(text, field) {
  const word = text.toLowerCase();
  const list = field.name === 'month' ? months : field.name === 'day of week' ? weekdays : [];
  const named = word.length === 3 ? list.findIndex((name) => name.toLowerCase().startsWith(word)) : -1;
  const n = named >= 0 ? named + field.low : /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(n >= field.low && n <= field.high)) throw new Error(`invalid ${field.name}: ${text}`);
  return n;
}
const join = (list) => (list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`);

// phrase is null for a field that restricts nothing.
function phrase(text, field) {
  if (text === '*') return null;
  return join(text.split(',').map((item) => {
    const [range, step, extra] = item.split('/');
    if (extra !== undefined || (step !== undefined && !/^[1-9]\d*$/.test(step))) throw new Error(`invalid ${field.name}: ${item}`);
    const [first, last, more] = range.split('-');
    if (more !== undefined) throw new Error(`invalid ${field.name}: ${item}`);
    const every = step === undefined ? '' : `every ${step === '1' ? '' : `${step} `}${field.name}${step === '1' ? '' : 's'}`;
    if (range === '*') return every;
    const low = number(first, field);
    if (last === undefined) return step === undefined ? field.show(low) : `${every} from ${field.show(low)}`;
    const high = number(last, field);
    if (high < low) throw new Error(`invalid ${field.name}: ${item}`);
    return `${every === '' ? '' : `${every} from `}${field.show(low)} to ${field.show(high)}`;
  }));
}

const words = (macros[expression.trim().toLowerCase()] ?? expression.trim()).split(/\s+/);
if (words.length !== 5) throw new Error(`expected 5 fields, got ${words.length}`);
const [minute, hour, day, month, weekday] = words.map((word, i) => phrase(word, fields[i]));

let when;
if (/^\d+$/.test(words[0]) && /^\d+$/.test(words[1])) {
  when = `at ${words[1].padStart(2, '0')}:${words[0].padStart(2, '0')}`;
} else {
  when = minute === null ? 'every minute' : minute.startsWith('every') ? minute : `at ${minute}`;
  if (hour !== null) when += hour.startsWith('every') ? ` of ${hour}` : ` in the hour of ${hour}`;
  else if (minute !== null && !minute.startsWith('every')) when += ' of every hour';
}
// When both day fields are restricted, either may match.
const either = day !== null && weekday !== null && !words[2].startsWith('*') && !words[4].startsWith('*');
const days = [day && `on ${day} of the month`, weekday && `on ${weekday}`].filter(Boolean).join(either ? ' or ' : ' and ');
const description = [when, days, month && `in ${month}`].filter(Boolean).join(', ');
return { description: description[0].toUpperCase() + description.slice(1), fields: { minute: words[0], hour: words[1], dayOfMonth: words[2], month: words[3], dayOfWeek: words[4] } };
