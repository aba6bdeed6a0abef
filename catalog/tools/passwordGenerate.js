// A password with at least one character of every class that is included, each equally likely.
const size = length === undefined ? 16 : Number(length);
if (!Number.isInteger(size) || size < 4 || size > 256) throw new Error('length must be 4..256');
const classes = [
  [includeLowercase ?? true, 'abcdefghijklmnopqrstuvwxyz'],
  [includeUppercase ?? true, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [includeDigits ?? true, '0123456789'],
  [includeSymbols ?? false, '!@#$%^&*()-_=+[]{};:,.<>/?'],
].filter(([included]) => included).map(([, characters]) => characters);
if (classes.length === 0) throw new Error('at least one character class must be included');

// below(n) is uniform: bytes from the last, incomplete run of n are drawn again.
function below(n) {
  const fair = 256 - (256 % n);
  for (;;) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < fair) return byte % n;
  }
}
const pick = (characters) => characters[below(characters.length)];

const all = classes.join('');
const chosen = classes.map(pick);
while (chosen.length < size) chosen.push(pick(all));
for (let i = chosen.length - 1; i > 0; i--) { // shuffle, so that the first places tell nothing
  const j = below(i + 1);
  [chosen[i], chosen[j]] = [chosen[j], chosen[i]];
}
return chosen.join('');
