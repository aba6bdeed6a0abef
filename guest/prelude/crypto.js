// installs: crypto.getRandomValues crypto.randomUUID
// needs: random.bytes
// after: bytes.js
//
// Randomness. crypto.subtle is a file of its own.

const { String, viewKind, fillFrom, substring, toHex, indexOf } = primordials;
const { of, length } = host.bytes;

// Most bytes at once, as in browsers.
const LARGEST = 65536;

const random = (count) => host.call('random.bytes', String(count))[1];

host.install('crypto.getRandomValues', function getRandomValues(array) {
  const kind = viewKind(array);
  if (kind === undefined || indexOf(kind, 'Float') === 0) {
    throw host.refuse('INVALID_INPUT', 'crypto.getRandomValues', 'not-array', 'only a typed array of integers can be filled');
  }
  const bytes = of(array);
  if (length(bytes) > LARGEST) {
    throw host.refuse('INVALID_INPUT', 'crypto.getRandomValues', 'array-too-large', `${length(bytes)} bytes; at most ${LARGEST} at once`);
  }
  fillFrom(bytes, random(length(bytes)));
  return array;
});

host.install('crypto.randomUUID', function randomUUID() {
  const bytes = random(16);
  bytes[6] = (bytes[6] & 0x0f) | 0x40; // version 4
  bytes[8] = (bytes[8] & 0x3f) | 0x80; // the variant of RFC 9562
  const hex = toHex(bytes);
  const part = (from, to) => substring(hex, from, to);
  return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
});
