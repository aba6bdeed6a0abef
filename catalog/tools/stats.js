const values = Array.from(numbers, (value) => {
  const n = typeof value === 'string' && value.trim() === '' ? NaN : Number(value);
  if (value === null || typeof value === 'boolean' || !Number.isFinite(n)) throw new Error(`non-numeric value: ${value}`);
  return n;
});
if (values.length === 0) return { count: 0, sum: 0, min: null, max: null, mean: null, median: null, stddev: null };

const sorted = values.toSorted((x, y) => x - y);
const count = sorted.length;
const sum = values.reduce((total, n) => total + n, 0);
const mean = sum / count;
const middle = Math.floor(count / 2);
const variance = values.reduce((total, n) => total + (n - mean) ** 2, 0) / count;
return {
  count, sum,
  min: sorted[0], max: sorted[count - 1],
  mean,
  median: count % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2,
  stddev: Math.sqrt(variance), // of the population
};
