const most = 60; // columns and rows that can still be told apart
for (const [what, list] of Object.entries({ xLabels, yLabels })) {
  if (list.length === 0 || list.length > most) throw new Error(`give 1 to ${most} ${what}`);
}
const grid = yLabels.map(() => xLabels.map(() => null));
let [low, high] = [Infinity, -Infinity];
for (const point of data) {
  const [x, y, value] = Array.isArray(point) ? point : [point?.x, point?.y, point?.value];
  if (!(Number.isInteger(x) && x >= 0 && x < xLabels.length && Number.isInteger(y) && y >= 0 && y < yLabels.length) || typeof value !== 'number' || !Number.isFinite(value)) {
    throw new Error(`not [x, y, value] within ${xLabels.length} by ${yLabels.length}: ${JSON.stringify(point)}`);
  }
  grid[y][x] = value;
  [low, high] = [Math.min(low, value), Math.max(high, value)];
}
if (low > high) throw new Error('data is empty');
const escape = (value) => String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const picture = (width, height, parts) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" role="img"><rect width="${width}" height="${height}" fill="#fff"/>${parts.join('')}</svg>`;
  return { mimeType: 'image/svg+xml', svg, dataUrl: `data:image/svg+xml;base64,${new TextEncoder().encode(svg).toBase64()}` };
};

const cut = (value, n) => (String(value).length > n ? `${String(value).slice(0, n - 1)}…` : String(value));
const short = (n) => Number(n.toPrecision(4)).toString();
const size = xLabels.length > 20 ? 24 : 44;
const [left, top] = [110, title === undefined ? 30 : 60];
const parts = title === undefined ? [] : [`<text x="10" y="28" font-size="16" font-weight="bold">${escape(cut(title, 80))}</text>`];
xLabels.forEach((label, x) => parts.push(`<text x="${left + (x + 0.5) * size}" y="${top - 8}" text-anchor="middle" fill="#555">${escape(cut(label, size / 8))}</text>`));
grid.forEach((row, y) => {
  parts.push(`<text x="${left - 8}" y="${top + (y + 0.5) * size + 4}" text-anchor="end" fill="#555">${escape(cut(yLabels[y], 15))}</text>`);
  row.forEach((value, x) => {
    const share = value === null ? 0 : high === low ? 1 : (value - low) / (high - low);
    // From near white to the blue of the other pictures; a cell without a value is grey.
    const colour = value === null ? '#eee' : `rgb(${Math.round(240 - share * 181)},${Math.round(245 - share * 135)},${Math.round(250 - share * 85)})`;
    parts.push(`<rect x="${left + x * size}" y="${top + y * size}" width="${size - 2}" height="${size - 2}" fill="${colour}"/>`);
    if (value !== null && size > 30) parts.push(`<text x="${left + (x + 0.5) * size}" y="${top + (y + 0.5) * size + 4}" text-anchor="middle" fill="${share > 0.6 ? '#fff' : '#222'}">${short(value)}</text>`);
  });
});
const cell = (value) => String(value ?? '').replaceAll('\\', '\\\\').replaceAll('|', '\\|').replace(/\s+/g, ' ');
const lines = [['', ...xLabels], ['---', ...xLabels.map(() => '---:')], ...grid.map((row, y) => [yLabels[y], ...row.map((value) => (value === null ? '' : short(value)))])].map((row) => `| ${row.map(cell).join(' | ')} |`);
const heading = title === undefined ? '' : `**${cell(title)}**\n\n`;
return { text: `${heading}${lines.join('\n')}\n`, ...picture(left + xLabels.length * size + 10, top + yLabels.length * size + 10, parts) };
