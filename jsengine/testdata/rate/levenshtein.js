// statements: 3702
const a = 'the quick brown fox jumps over the lazy dog', b = 'a lazy dog was jumped over by a quick fox';
let previous = [];
for (let j = 0; j <= b.length; j++) previous[j] = j;
for (let i = 1; i <= a.length; i++) {
  const current = [i];
  for (let j = 1; j <= b.length; j++) {
    const cost = a[i - 1] === b[j - 1] ? 0 : 1;
    current[j] = Math.min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost);
  }
  previous = current;
}
return previous[b.length];
