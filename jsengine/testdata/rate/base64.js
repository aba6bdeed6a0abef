// statements: 8006
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const bytes = [];
for (let i = 0; i < 3000; i++) {
  bytes.push((i * 7) & 255);
}
let out = '';
for (let i = 0; i < bytes.length; i += 3) {
  const n = (bytes[i] << 16) | (bytes[i + 1] << 8) | bytes[i + 2];
  out += alphabet[(n >> 18) & 63];
  out += alphabet[(n >> 12) & 63];
  out += alphabet[(n >> 6) & 63];
  out += alphabet[n & 63];
}
return out.length;
