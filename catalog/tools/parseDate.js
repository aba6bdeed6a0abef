// Takes an instant apart into the fields of the wall clock in a time zone.
const date = new Date(text);
if (Number.isNaN(date.getTime())) throw new Error(`not a date: ${text}`);
const zone = timeZone ?? 'UTC';

let formatter;
try {
  formatter = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone, hourCycle: 'h23', weekday: 'short',
    year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
  });
} catch {
  throw new Error(`unknown time zone: ${zone}`);
}
const part = {};
for (const { type, value } of formatter.formatToParts(date)) part[type] = value;

return {
  iso: date.toISOString(),
  epochMillis: date.getTime(),
  year: Number(part.year), month: Number(part.month), day: Number(part.day),
  hour: Number(part.hour), minute: Number(part.minute), second: Number(part.second),
  // The short English name, without the dot that some locales of English add.
  weekday: part.weekday.replace('.', ''),
  timeZone: zone,
};
