// Five kinds of personal data by their shape; a card number must also pass the Luhn check.
function luhn(digits) {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    let n = Number(digits[digits.length - 1 - i]);
    if (i % 2 === 1) n = n > 4 ? n * 2 - 9 : n * 2;
    sum += n;
  }
  return sum % 10 === 0;
}
const octets = (value) => value.split('.').every((n) => Number(n) <= 255);
const shapes = [
  ['email', /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,24}\b/g, () => true],
  ['us-phone', /(?<![\d-])(?:\+?1[-. ]?)?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\d-])/g, () => true],
  ['us-ssn', /(?<![\d-])(?!000|666|9\d\d)\d{3}[- ](?!00)\d{2}[- ](?!0000)\d{4}(?![\d-])/g, () => true],
  ['ipv4', /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g, octets],
  ['credit-card', /(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])/g, (value) => luhn(value.replace(/[ -]/g, ''))],
];
const mask = (value) => (value.length <= 6 ? '*'.repeat(value.length) : value.slice(0, 2) + '*'.repeat(value.length - 4) + value.slice(-2));

const found = [];
for (const [type, shape, valid] of shapes) {
  for (const match of text.matchAll(shape)) {
    if (!valid(match[0])) continue;
    const value = type === 'credit-card' ? match[0].replace(/[ -]/g, '') : match[0];
    found.push({ type, masked: mask(value), index: match.index });
  }
}
return found.sort((x, y) => x.index - y.index);
