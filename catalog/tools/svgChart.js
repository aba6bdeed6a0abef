// A bar or line chart as SVG, and as a data URL that an <img> or a chat client shows.
const kind = type ?? 'bar';
if (!['bar', 'line'].includes(kind)) throw new Error(`unsupported type: ${kind}; bar or line`);
if (values.length === 0 || values.length > 200) throw new Error('give 1 to 200 values');
const numbers = values.map((value) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error(`not a number: ${JSON.stringify(value)}`);
  return value;
});
const names = labels ?? [];
if (names.length > 0 && names.length !== numbers.length) throw new Error(`${numbers.length} values but ${names.length} labels`);

const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const width = 640;
const height = 360;
const frame = { left: 60, right: 620, top: title ? 50 : 20, bottom: 310 };
const [low, high] = [Math.min(0, ...numbers), Math.max(0, ...numbers)];
const span = high - low || 1;
const y = (value) => frame.bottom - ((value - low) / span) * (frame.bottom - frame.top);
const slot = (frame.right - frame.left) / numbers.length;
const x = (i) => frame.left + slot * (i + 0.5);
const short = (n) => Number(n.toPrecision(4)).toString();
const at = (n) => n.toFixed(1);

const parts = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" role="img">`];
parts.push(`<rect width="${width}" height="${height}" fill="#fff"/>`);
if (title) parts.push(`<text x="${width / 2}" y="28" text-anchor="middle" font-size="16" font-weight="bold">${escape(title)}</text>`);
for (let i = 0; i <= 4; i++) {
  const value = low + (span * i) / 4;
  parts.push(`<line x1="${frame.left}" x2="${frame.right}" y1="${at(y(value))}" y2="${at(y(value))}" stroke="#ddd"/>`);
  parts.push(`<text x="${frame.left - 8}" y="${at(y(value) + 4)}" text-anchor="end" fill="#555">${short(value)}</text>`);
}
if (kind === 'bar') {
  numbers.forEach((value, i) => {
    const [top, bottom] = [y(Math.max(0, value)), y(Math.min(0, value))];
    parts.push(`<rect x="${at(x(i) - slot * 0.35)}" y="${at(top)}" width="${at(slot * 0.7)}" height="${at(Math.max(1, bottom - top))}" fill="#3b6ea5"/>`);
  });
} else {
  parts.push(`<polyline fill="none" stroke="#3b6ea5" stroke-width="2" points="${numbers.map((value, i) => `${at(x(i))},${at(y(value))}`).join(' ')}"/>`);
  numbers.forEach((value, i) => parts.push(`<circle cx="${at(x(i))}" cy="${at(y(value))}" r="3" fill="#3b6ea5"/>`));
}
const every = Math.ceil(names.length / 12); // as many labels as fit side by side
names.forEach((name, i) => {
  if (i % every === 0) parts.push(`<text x="${at(x(i))}" y="${frame.bottom + 20}" text-anchor="middle" fill="#555">${escape(String(name).slice(0, 12))}</text>`);
});
parts.push('</svg>');
const svg = parts.join('');
let binary = '';
for (const byte of new TextEncoder().encode(svg)) binary += String.fromCharCode(byte);
return { mimeType: 'image/svg+xml', svg, dataUrl: `data:image/svg+xml;base64,${btoa(binary)}` };
