// RFC 5545: text escaped, lines of at most 75 bytes ended with CRLF, times in UTC.
if (title.trim() === '') throw new Error('title is empty');
const instant = (text, what) => {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new Error(`${what} is not a date: ${text}; use ISO 8601 such as 2026-01-15T10:00:00+09:00`);
  return date;
};
const [from, to] = [instant(start, 'start'), instant(end, 'end')];
if (to <= from) throw new Error('end must be after start');
const utc = (date) => date.toISOString().replace(/\.\d+Z$/, 'Z').replace(/[-:]/g, '');
const escape = (text) => text.replace(/[\\;,]/g, '\\$&').replace(/\r\n?|\n/g, '\\n').replace(/[\0-\x08\x0b-\x1f\x7f]/g, '');
const encoder = new TextEncoder();
const fold = (line) => {
  const lines = [];
  let [current, bytes] = ['', 0];
  for (const character of line) {
    const size = encoder.encode(character).length;
    if (bytes + size > 75) { // the space that begins a continued line counts
      lines.push(current);
      [current, bytes] = [' ', 1];
    }
    current += character;
    bytes += size;
  }
  return [...lines, current].join('\r\n');
};
// The same entry has the same identity, so that importing it twice does not double it.
const digest = await crypto.subtle.digest('SHA-256', encoder.encode(JSON.stringify([title, utc(from), utc(to), location ?? '', description ?? ''])));
const identity = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('').slice(0, 32);
const lines = [
  'BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//glovebox//addToCalendar//EN', 'BEGIN:VEVENT',
  `UID:${identity}@glovebox`, `DTSTAMP:${utc(new Date())}`, `DTSTART:${utc(from)}`, `DTEND:${utc(to)}`, `SUMMARY:${escape(title)}`,
];
if (location !== undefined) lines.push(`LOCATION:${escape(location)}`);
if (description !== undefined) lines.push(`DESCRIPTION:${escape(description)}`);
lines.push('END:VEVENT', 'END:VCALENDAR');
const text = `${lines.map(fold).join('\r\n')}\r\n`;
const name = title.normalize('NFKD').replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 60).toLowerCase();
return { fileName: `${name || 'event'}.ics`, mimeType: 'text/calendar', text, dataUrl: `data:text/calendar;charset=utf-8;base64,${encoder.encode(text).toBase64()}` };
