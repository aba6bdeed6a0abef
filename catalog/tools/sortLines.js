// By UTF-16 code unit, or as a dictionary orders words when case does not count. Equal lines keep their order.
const lines = text.split(/\r?\n/);
if (caseInsensitive) {
  const keyed = lines.map((line) => ({ line, key: line.toLowerCase() }));
  const { compare } = new Intl.Collator();
  keyed.sort((x, y) => compare(x.key, y.key));
  lines.splice(0, lines.length, ...keyed.map(({ line }) => line));
} else {
  lines.sort((x, y) => (x < y ? -1 : x > y ? 1 : 0));
}
if (reverse) lines.reverse();
return lines.join('\n');
