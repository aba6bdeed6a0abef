// Every match of a JavaScript regular expression, whether or not the flags ask for all.
let expression;
try {
  expression = new RegExp(pattern, (flags ?? '').replace('g', '') + 'g');
} catch (error) {
  throw new Error(`invalid pattern: ${error.message}`);
}
const found = [];
for (const match of text.matchAll(expression)) {
  found.push({ match: match[0], groups: match.slice(1).map((group) => group ?? null), index: match.index });
}
return found;
