const encode = () => {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  const standard = btoa(binary);
  return urlSafe ? standard.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') : standard;
};
// Both alphabets are read, with or without padding.
const decode = () => {
  const standard = text.trim().replaceAll('-', '+').replaceAll('_', '/');
  let binary;
  try {
    binary = atob(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='));
  } catch {
    throw new Error('invalid base64');
  }
  return new TextDecoder().decode(Uint8Array.from(binary, (c) => c.charCodeAt(0)));
};

switch ((mode ?? 'encode').toLowerCase()) {
  case 'encode': return encode();
  case 'decode': return decode();
}
throw new Error(`unsupported mode: ${mode}`);
