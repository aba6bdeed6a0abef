// Matches of a JavaScript regular expression: every one with the flag g, the first without it.
if (pattern === '') throw new Error('pattern is empty');
let expression;
try {
  expression = new RegExp(pattern, flags ?? '');
} catch (error) {
  throw new Error(`invalid pattern: ${error.message}`);
}
const matches = expression.global ? [...text.matchAll(expression)] : [text.match(expression)].filter((match) => match !== null);
return matches.map((match) => ({ match: match[0], groups: match.slice(1).map((group) => group ?? null), index: match.index }));
