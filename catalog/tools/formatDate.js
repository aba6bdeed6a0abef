// Writes an instant by a pattern of the tokens yyyy MM dd HH mm ss SSS; everything else is copied.
const date = new Date(text);
if (Number.isNaN(date.getTime())) throw new Error(`not a date: ${text}`);
const zone = timeZone ?? 'UTC';

let formatter;
try {
  formatter = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone, hourCycle: 'h23',
    year: 'numeric', month: '2-digit', day: '2-digit',
    hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3,
  });
} catch {
  throw new Error(`unknown time zone: ${zone}`);
}
const part = {};
for (const { type, value } of formatter.formatToParts(date)) part[type] = value;

const tokens = {
  yyyy: part.year.padStart(4, '0'), MM: part.month, dd: part.day,
  HH: part.hour, mm: part.minute, ss: part.second, SSS: part.fractionalSecond,
};
return (pattern ?? 'yyyy-MM-dd HH:mm:ss').replace(/yyyy|MM|dd|HH|mm|ss|SSS/g, (token) => tokens[token]);
