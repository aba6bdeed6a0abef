// Groups rows by one or two fields and adds up a third.
const aggregates = {
  count: (list) => list.length,
  sum: (list) => list.reduce((total, n) => total + n, 0),
  mean: (list) => list.reduce((total, n) => total + n, 0) / list.length,
  min: (list) => list.reduce((least, n) => Math.min(least, n), Infinity),
  max: (list) => list.reduce((most, n) => Math.max(most, n), -Infinity),
};
const how = aggregate ?? (valueField === undefined ? 'count' : 'sum');
if (!Object.hasOwn(aggregates, how)) throw new Error(`unsupported aggregate: ${how}; one of ${Object.keys(aggregates).join(', ')}`);
if (how !== 'count' && valueField === undefined) throw new Error(`${how} needs valueField`);

const key = (row, field) => (field === undefined ? 'total' : String(row?.[field] ?? ''));
const cells = new Map();
const columns = new Set();
rows.forEach((row, i) => {
  const [r, c] = [key(row, rowField), key(row, columnField)];
  columns.add(c);
  if (!cells.has(r)) cells.set(r, new Map());
  const line = cells.get(r);
  if (!line.has(c)) line.set(c, []);
  if (how === 'count') {
    line.get(c).push(1);
    return;
  }
  const value = row?.[valueField];
  if (value === undefined || value === null || value === '') return; // an empty cell adds nothing
  const n = Number(value);
  if (!Number.isFinite(n)) throw new Error(`row ${i}: ${valueField} is not a number: ${value}`);
  line.get(c).push(n);
});
const order = [...columns].sort();
return {
  columns: order,
  rows: [...cells].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([name, line]) => ({
    row: name,
    cells: order.map((c) => (line.get(c)?.length > 0 ? aggregates[how](line.get(c)) : null)),
  })),
};
