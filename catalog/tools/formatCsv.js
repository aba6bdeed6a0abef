// RFC 4180, with a line feed between records. A field is quoted when it holds the delimiter, a quote or a line break.
const separator = delimiter ?? ',';
if (separator.length !== 1) throw new Error('delimiter must be one character');

function field(value) {
  const text = value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  const special = text.includes(separator) || text.includes('"') || text.includes('\n') || text.includes('\r');
  return special ? `"${text.replaceAll('"', '""')}"` : text;
}

const all = Array.from(rows);
const isRecord = (row) => typeof row === 'object' && row !== null && !(Symbol.iterator in row);
const records = all.filter(isRecord);
// An empty header names no column; models send one to say that they have none.
let names = header === undefined ? [] : Array.from(header, String);
if (names.length === 0 && records.length > 0) {
  if (records.length < all.length) throw new Error('rows mixes objects with arrays or values; send one kind, or a header');
  names = [...new Set(records.flatMap((row) => Object.keys(row)))];
}
const cells = (row) => {
  if (isRecord(row)) return names.map((name) => (Object.hasOwn(row, name) ? row[name] : undefined));
  return typeof row === 'object' && row !== null ? Array.from(row) : [row];
};
const lines = all.map((row) => cells(row).map(field).join(separator));
if (names.length > 0) lines.unshift(names.map(field).join(separator));
return lines.join('\n');
