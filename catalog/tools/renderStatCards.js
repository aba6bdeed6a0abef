const most = 24; // tiles, four in a row
if (cards.length === 0 || cards.length > most) throw new Error(`give 1 to ${most} cards`);
const trends = { up: ['▲', '#1a7f37'], down: ['▼', '#b42318'], flat: ['▬', '#555'] };
for (const card of cards) {
  if (card === null || typeof card !== 'object' || card.label === undefined || card.value === undefined) throw new Error(`a card is { label, value, delta?, trend? }: ${JSON.stringify(card)}`);
  if (card.trend !== undefined && !Object.hasOwn(trends, card.trend)) throw new Error(`unsupported trend: ${card.trend}; one of up, down, flat`);
}
const escape = (value) => String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const picture = (width, height, parts) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" role="img"><rect width="${width}" height="${height}" fill="#fff"/>${parts.join('')}</svg>`;
  return { mimeType: 'image/svg+xml', svg, dataUrl: `data:image/svg+xml;base64,${new TextEncoder().encode(svg).toBase64()}` };
};

const cut = (value, n) => (String(value).length > n ? `${String(value).slice(0, n - 1)}…` : String(value));
const top = title === undefined ? 10 : 44;
const parts = title === undefined ? [] : [`<text x="10" y="28" font-size="16" font-weight="bold">${escape(cut(title, 80))}</text>`];
cards.forEach((card, n) => {
  const [x, y] = [10 + (n % 4) * 160, top + Math.floor(n / 4) * 100];
  const [sign, colour] = trends[card.trend] ?? ['', '#555'];
  parts.push(`<rect x="${x}" y="${y}" width="150" height="90" rx="6" fill="#f4f6f8" stroke="#ddd"/>`);
  parts.push(`<text x="${x + 12}" y="${y + 24}" fill="#555">${escape(cut(card.label, 20))}</text>`);
  parts.push(`<text x="${x + 12}" y="${y + 52}" font-size="20" font-weight="bold">${escape(cut(card.value, 12))}</text>`);
  if (card.delta !== undefined || sign) parts.push(`<text x="${x + 12}" y="${y + 76}" fill="${colour}">${sign} ${escape(cut(card.delta ?? '', 18))}</text>`);
});
const plain = (value) => String(value).replace(/\s+/g, ' ').trim();
const lines = cards.map((card) => {
  const change = [trends[card.trend]?.[0], card.delta === undefined ? undefined : plain(card.delta)].filter(Boolean).join(' ');
  return `- ${plain(card.label)}: **${plain(card.value)}**${change ? ` (${change})` : ''}`;
});
if (title !== undefined) lines.unshift(`**${plain(title)}**`, '');
const columns = Math.min(4, cards.length);
return { text: `${lines.join('\n')}\n`, ...picture(10 + columns * 160, top + Math.ceil(cards.length / 4) * 100, parts) };
