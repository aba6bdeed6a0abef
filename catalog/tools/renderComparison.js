if (entities.length < 2) throw new Error('entities needs at least two names');
const cell = (value) => String(value ?? '').replaceAll('\\', '\\\\').replaceAll('|', '\\|').replace(/\r\n?|\n/g, '<br>');
const width = (text) => [...text].length;
const heading = title === undefined ? '' : `**${cell(title)}**\n\n`;

const table = rows.map((row) => {
  if (!Array.isArray(row?.values) || row.values.length !== entities.length) {
    throw new Error(`each row has one value for each of the ${entities.length} entities: ${JSON.stringify(row)}`);
  }
  if (row.best !== undefined && !(Number.isInteger(row.best) && row.best >= 0 && row.best < entities.length)) throw new Error(`best must be 0..${entities.length - 1}: ${row.best}`);
  return [cell(row.label), ...row.values.map((value, at) => (at === row.best ? `**${cell(value)}**` : cell(value)))];
});
table.unshift(['', ...entities.map(cell)]);
const widths = table[0].map((_, at) => table.reduce((widest, row) => Math.max(widest, width(row[at])), 3));
const line = (row) => `| ${row.map((text, at) => text + ' '.repeat(widths[at] - width(text))).join(' | ')} |`;
const [head, ...body] = table.map(line);
return { text: `${heading}${[head, line(widths.map((n) => '-'.repeat(n))), ...body].join('\n')}\n` };
