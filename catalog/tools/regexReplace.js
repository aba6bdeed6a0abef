// Replaces by a JavaScript regular expression: every match with the flag g, the first without it.
if (pattern === '') throw new Error('pattern is empty');
let expression;
try {
  expression = new RegExp(pattern, flags ?? '');
} catch (error) {
  throw new Error(`invalid pattern: ${error.message}`);
}
return text.replace(expression, replacement);
