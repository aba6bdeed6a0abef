(function () {
  const rows = [];
  for (let i = 0; i < 400; i++) rows.push({ id: i, name: 'row ' + i, tags: ['a', 'b', String(i)], nested: { ok: i % 2 === 0, value: i / 3 } });
  let length = 0;
  for (let round = 0; round < 25; round++) {
    const text = JSON.stringify(rows);
    length += text.length + JSON.parse(text).length;
  }
  return length;
})();
