// Shows one instant as the wall clock of another time zone reads it.
const instant = new Date(text);
if (Number.isNaN(instant.getTime())) throw new Error(`not a date: ${text}`);

let formatter;
try {
  formatter = new Intl.DateTimeFormat('en-CA', {
    timeZone: toTimeZone, hourCycle: 'h23',
    year: 'numeric', month: '2-digit', day: '2-digit',
    hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3,
  });
} catch {
  throw new Error(`unknown time zone: ${toTimeZone}`);
}
const part = {};
for (const { type, value } of formatter.formatToParts(instant)) part[type] = value;

// The offset is the difference between the wall clock, read as if it were UTC, and the instant itself.
const wall = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second, part.fractionalSecond);
const minutes = Math.round((wall - instant.getTime()) / 60000);
const two = (n) => String(n).padStart(2, '0');
const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
return `${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}.${part.fractionalSecond}${offset}`;
