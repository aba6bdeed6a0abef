// The time now, as the wall clock of a time zone reads it.
const zone = timeZone ?? 'UTC';
const now = new Date();
let formatter;
try {
  formatter = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone, hourCycle: 'h23', weekday: 'long', timeZoneName: 'longOffset',
    year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
  });
} catch {
  throw new Error(`unknown time zone: ${zone}; use an IANA name such as Asia/Seoul`);
}
const part = {};
for (const { type, value } of formatter.formatToParts(now)) part[type] = value;
const offset = part.timeZoneName.replace('GMT', '') || '+00:00';
return {
  iso: `${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}${offset}`,
  timeZone: zone, weekday: part.weekday, epochMillis: now.getTime(),
};
