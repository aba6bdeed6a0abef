// RFC 4180, with a line feed between records. A field is quoted when it holds the delimiter, a quote or a line break.
const separator = delimiter ?? ',';
if (separator.length !== 1) throw new Error('delimiter must be one character');

function field(value) {
  const text = value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  const special = text.includes(separator) || text.includes('"') || text.includes('\n') || text.includes('\r');
  return special ? `"${text.replaceAll('"', '""')}"` : text;
}

const names = header && Array.from(header);
// A row that is an object is written in the order of the header, or of its own keys without one.
const cells = (row) => (typeof row !== 'object' || row === null ? [row] : Symbol.iterator in row ? Array.from(row) : (names ?? Object.keys(row)).map((name) => row[name]));
const lines = Array.from(rows, (row) => cells(row).map(field).join(separator));
if (names) lines.unshift(names.map(field).join(separator));
return lines.join('\n');
