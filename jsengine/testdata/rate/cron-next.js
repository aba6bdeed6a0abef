// statements: 16164
function field(text, low, high) {
  const values = new Set();
  for (const part of text.split(',')) {
    const [range, step] = part.split('/');
    let from = low, to = high;
    if (range !== '*') {
      const ends = range.split('-');
      from = Number(ends[0]);
      to = ends.length > 1 ? Number(ends[1]) : from;
    }
    for (let v = from; v <= to; v += step ? Number(step) : 1) {
      values.add(v);
    }
  }
  return values;
}
const [minute, hour, day, month, weekday] = '15 3 13 * 5'.split(' ');
const minutes = field(minute, 0, 59), hours = field(hour, 0, 23), days = field(day, 1, 31), months = field(month, 1, 12), weekdays = field(weekday, 0, 6);
const at = new Date(Date.UTC(2026, 0, 1));
for (let i = 0; i < 4000; i++) {
  at.setUTCMinutes(at.getUTCMinutes() + 15);
  if (!months.has(at.getUTCMonth() + 1)) continue;
  if (!days.has(at.getUTCDate())) continue;
  if (!weekdays.has(at.getUTCDay())) continue;
  if (!hours.has(at.getUTCHours())) continue;
  if (!minutes.has(at.getUTCMinutes())) continue;
  return at.toISOString();
}
return null;
