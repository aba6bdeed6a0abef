// statements: 1289
async function page(n) {
  await null;
  if (n >= 40) return [];
  const items = [];
  for (let i = 0; i < 10; i++) {
    items.push({ id: n * 10 + i, ok: i % 3 === 0 });
  }
  return items;
}
const all = [];
for (let n = 0; ; n++) {
  const items = await page(n);
  if (items.length === 0) break;
  for (const item of items) {
    if (item.ok) all.push(item.id);
  }
}
return all.length;
