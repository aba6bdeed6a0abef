// Milliseconds of each unit. A month and a year have no fixed length, so they are not offered.
const units = {
  millisecond: 1, second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000,
};
const aliases = { ms: 'millisecond', s: 'second', sec: 'second', m: 'minute', min: 'minute', h: 'hour', d: 'day', w: 'week' };

function instant(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new Error(`not a date: ${text}`);
  return date.getTime();
}

const asked = unit ?? 'milliseconds';
const word = asked.toLowerCase();
const name = aliases[word] ?? word.replace(/s$/, '');
if (!Object.hasOwn(units, name)) throw new Error(`unsupported unit: ${asked}`);
return (instant(b) - instant(a)) / units[name];
