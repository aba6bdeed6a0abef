// Replaces by a JavaScript regular expression; every match unless flags say otherwise.
let expression;
try {
  expression = new RegExp(pattern, flags ?? 'g');
} catch (error) {
  throw new Error(`invalid pattern: ${error.message}`);
}
return text.replace(expression, replacement);
