const key = caseInsensitive ? (line) => line.toLowerCase() : (line) => line;
const lines = text.split('\n');
lines.sort((x, y) => {
  const a = key(x);
  const b = key(y);
  return a < b ? -1 : a > b ? 1 : 0;
});
if (reverse) lines.reverse();
return lines.join('\n');
