// statements: 1447
const text = 'It is a truth universally acknowledged that a single person in possession of a good tool must be in want of a box '.repeat(20);
const counts = new Map();
for (const raw of text.toLowerCase().split(/\s+/)) {
  const word = raw.replace(/[^a-z]/g, '');
  if (!word) continue;
  counts.set(word, (counts.get(word) || 0) + 1);
}
const sorted = [...counts.entries()].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
return sorted.slice(0, 5).map(([word, count]) => ({ word, count }));
