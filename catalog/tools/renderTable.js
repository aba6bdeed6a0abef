// A Markdown table, padded so that it reads as plain text too.
const most = 1000; // rows: more than that is a file, not a table
if (columns.length === 0) throw new Error('columns is empty');
if (rows.length > most) throw new Error(`${rows.length} rows; a table has at most ${most}`);
const cell = (value) => String(value ?? '').replaceAll('\\', '\\\\').replaceAll('|', '\\|').replace(/\r\n?|\n/g, '<br>');
const width = (text) => [...text].length;
const heading = title === undefined ? '' : `**${cell(title)}**\n\n`;

const shape = columns.map((column) => {
  const one = typeof column === 'string' ? { key: column } : column;
  if (typeof one?.key !== 'string') throw new Error(`a column is a name or { key, … }: ${JSON.stringify(column)}`);
  if (one.align !== undefined && !['left', 'right', 'center'].includes(one.align)) throw new Error(`unsupported align: ${one.align}; one of left, right, center`);
  if (one.format !== undefined && one.format !== 'number') throw new Error(`unsupported format: ${one.format}; number is one`);
  return { ...one, label: one.label ?? one.key, align: one.align ?? (one.format === 'number' ? 'right' : 'left') };
});
const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });
const bars = '▁▂▃▄▅▆▇█';
const columnsOfText = shape.map(({ key, label, format, heat }) => {
  const values = rows.map((row) => (row !== null && typeof row === 'object' && Object.hasOwn(row, key) ? row[key] : ''));
  const finite = values.filter((value) => typeof value === 'number' && Number.isFinite(value));
  const [low, high] = finite.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
  return [cell(label), ...values.map((value) => {
    const number = typeof value === 'number' && Number.isFinite(value);
    const text = format === 'number' && number ? numbers.format(value) : cell(value !== null && typeof value === 'object' ? JSON.stringify(value) : value);
    return heat && number ? `${text} ${bars[high === low ? 0 : Math.round(((value - low) / (high - low)) * (bars.length - 1))]}` : text;
  })];
});
const widths = columnsOfText.map((texts) => texts.reduce((widest, text) => Math.max(widest, width(text)), 3));
const pad = (text, at) => {
  const room = ' '.repeat(widths[at] - width(text));
  return shape[at].align === 'right' ? room + text : text + room;
};
const rules = { left: (n) => '-'.repeat(n), right: (n) => `${'-'.repeat(n - 1)}:`, center: (n) => `:${'-'.repeat(n - 2)}:` };
const line = (texts) => `| ${texts.join(' | ')} |`;
const lines = [line(columnsOfText.map((texts, at) => pad(texts[0], at))), line(shape.map(({ align }, at) => rules[align](widths[at])))];
for (let n = 1; n <= rows.length; n++) lines.push(line(columnsOfText.map((texts, at) => pad(texts[n], at))));
return { text: `${heading}${lines.join('\n')}\n`, rows: rows.length };
