const most = 100; // events that still read as one picture
if (events.length === 0 || events.length > most) throw new Error(`give 1 to ${most} events`);
for (const event of events) {
  if (event === null || typeof event !== 'object' || event.title === undefined || event.date === undefined) throw new Error(`an event is { date, title, detail? }: ${JSON.stringify(event)}`);
}
const escape = (value) => String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const picture = (width, height, parts) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" role="img"><rect width="${width}" height="${height}" fill="#fff"/>${parts.join('')}</svg>`;
  return { mimeType: 'image/svg+xml', svg, dataUrl: `data:image/svg+xml;base64,${new TextEncoder().encode(svg).toBase64()}` };
};

const cut = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);
const top = title === undefined ? 20 : 50;
const step = 46;
const parts = title === undefined ? [] : [`<text x="20" y="30" font-size="16" font-weight="bold">${escape(cut(title, 70))}</text>`];
const y = (n) => top + n * step + 10;
parts.push(`<line x1="140" x2="140" y1="${y(0)}" y2="${y(events.length - 1)}" stroke="#3b6ea5" stroke-width="2"/>`);
events.forEach((event, n) => {
  parts.push(`<circle cx="140" cy="${y(n)}" r="6" fill="#3b6ea5"/>`);
  parts.push(`<text x="124" y="${y(n) + 4}" text-anchor="end" fill="#555">${escape(cut(String(event.date), 17))}</text>`);
  parts.push(`<text x="160" y="${y(n) + 4}" font-weight="bold">${escape(cut(String(event.title), 70))}</text>`);
  if (event.detail !== undefined) parts.push(`<text x="160" y="${y(n) + 20}" fill="#555">${escape(cut(String(event.detail), 75))}</text>`);
});
const plain = (value) => String(value).replace(/\s+/g, ' ').trim();
const lines = events.map((event) => `- **${plain(event.date)}** ${plain(event.title)}${event.detail === undefined ? '' : `: ${plain(event.detail)}`}`);
if (title !== undefined) lines.unshift(`**${plain(title)}**`, '');
return { text: `${lines.join('\n')}\n`, ...picture(640, top + events.length * step + 10, parts) };
