const encode = () => {
  const digits = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return upperCase ? digits.toUpperCase() : digits;
};
const decode = () => {
  const digits = text.replace(/\s+/g, '').replace(/^0x/i, '');
  if (digits.length % 2 !== 0 || /[^0-9a-f]/i.test(digits)) throw new Error('invalid hex');
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return new TextDecoder().decode(bytes);
};

switch ((mode ?? 'encode').toLowerCase()) {
  case 'encode': return encode();
  case 'decode': return decode();
}
throw new Error(`unsupported mode: ${mode}`);
