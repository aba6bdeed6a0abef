const most = 300; // candles that can still be told apart
if (data.length === 0 || data.length > most) throw new Error(`give 1 to ${most} candles`);
const candles = data.map((candle) => {
  const one = { t: String(candle?.t ?? candle?.date ?? candle?.time ?? ''), v: candle?.v ?? 0 };
  for (const key of ['o', 'h', 'l', 'c']) one[key] = candle?.[key];
  const numbers = [one.o, one.h, one.l, one.c, one.v];
  if (numbers.some((n) => typeof n !== 'number' || !Number.isFinite(n)) || one.l > Math.min(one.o, one.c) || one.h < Math.max(one.o, one.c) || one.v < 0) {
    throw new Error(`not a candle { t, o, h, l, c, v? } with l lowest and h highest: ${JSON.stringify(candle)}`);
  }
  return one;
});
const escape = (value) => String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const picture = (width, height, parts) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" role="img"><rect width="${width}" height="${height}" fill="#fff"/>${parts.join('')}</svg>`;
  return { mimeType: 'image/svg+xml', svg, dataUrl: `data:image/svg+xml;base64,${new TextEncoder().encode(svg).toBase64()}` };
};

const cut = (value, n) => (String(value).length > n ? `${String(value).slice(0, n - 1)}…` : String(value));
const short = (n) => Number(n.toPrecision(6)).toString();
const at = (n) => n.toFixed(1);
const frame = { left: 70, right: 720, top: title === undefined ? 20 : 50, bottom: volume ? 270 : 340 };
const low = candles.reduce((least, candle) => Math.min(least, candle.l), Infinity);
const high = candles.reduce((greatest, candle) => Math.max(greatest, candle.h), -Infinity);
const span = high - low || 1;
const y = (price) => frame.bottom - ((price - low) / span) * (frame.bottom - frame.top);
const slot = (frame.right - frame.left) / candles.length;
const x = (n) => frame.left + slot * (n + 0.5);
const thick = Math.min(28, slot * 0.7);
const parts = title === undefined ? [] : [`<text x="${frame.left}" y="28" font-size="16" font-weight="bold">${escape(cut(title, 80))}</text>`];
for (let n = 0; n <= 4; n++) {
  const price = low + (span * n) / 4;
  parts.push(`<line x1="${frame.left}" x2="${frame.right}" y1="${at(y(price))}" y2="${at(y(price))}" stroke="#ddd"/><text x="${frame.left - 8}" y="${at(y(price) + 4)}" text-anchor="end" fill="#555">${short(price)}</text>`);
}
const greatest = candles.reduce((top, candle) => Math.max(top, candle.v), 0) || 1;
const every = Math.ceil(candles.length / 10); // as many labels as fit side by side
candles.forEach((candle, n) => {
  const colour = candle.c >= candle.o ? '#1a7f37' : '#b42318';
  const body = Math.max(1, Math.abs(y(candle.o) - y(candle.c)));
  parts.push(`<line x1="${at(x(n))}" x2="${at(x(n))}" y1="${at(y(candle.h))}" y2="${at(y(candle.l))}" stroke="${colour}"/>`);
  parts.push(`<rect x="${at(x(n) - thick / 2)}" y="${at(Math.min(y(candle.o), y(candle.c)))}" width="${at(thick)}" height="${at(body)}" fill="${colour}"/>`);
  if (volume) parts.push(`<rect x="${at(x(n) - thick / 2)}" y="${at(340 - (candle.v / greatest) * 50)}" width="${at(thick)}" height="${at((candle.v / greatest) * 50)}" fill="#9db4cc"/>`);
  if (n % every === 0) parts.push(`<text x="${at(x(n))}" y="360" text-anchor="middle" fill="#555">${escape(cut(candle.t, 10))}</text>`);
});
const [first, last] = [candles[0], candles.at(-1)];
const change = first.o === 0 ? '' : ` (${last.c >= first.o ? '+' : ''}${(((last.c - first.o) / first.o) * 100).toFixed(2)}%)`;
const name = title === undefined ? '' : `${title.replace(/\s+/g, ' ')}: `;
return { text: `${name}${candles.length} candles from ${first.t} to ${last.t}, ${short(first.o)} to ${short(last.c)}${change}, lowest ${short(low)}, highest ${short(high)}`, ...picture(740, 380, parts) };
