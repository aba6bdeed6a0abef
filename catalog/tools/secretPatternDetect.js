// Shapes of eight kinds of secrets. A shape is a hint, not proof: what is found is shown masked.
const shapes = [
  ['aws-access-key-id', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g],
  ['github-token', /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g],
  ['slack-token', /\bxox[abprs]-[A-Za-z0-9-]{10,250}/g],
  ['google-api-key', /\bAIza[0-9A-Za-z_-]{35}/g],
  ['openai-api-key', /\bsk-[A-Za-z0-9_-]{20,200}/g],
  ['stripe-key', /\b[spr]k_(?:test|live)_[A-Za-z0-9]{16,247}\b/g],
  ['private-key-block', /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/g],
  ['jwt', /\beyJ[A-Za-z0-9_-]{1,4096}\.eyJ[A-Za-z0-9_-]{1,4096}\.[A-Za-z0-9_-]{1,4096}/g],
];
const mask = (value) => (value.length <= 8 ? '*'.repeat(value.length) : value.slice(0, 4) + '*'.repeat(value.length - 8) + value.slice(-4));

const found = [];
for (const [type, shape] of shapes) {
  for (const match of text.matchAll(shape)) found.push({ type, masked: mask(match[0]), index: match.index });
}
return found.sort((x, y) => x.index - y.index);
