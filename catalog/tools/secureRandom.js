const length = bytes === undefined ? 16 : Number(bytes);
if (!Number.isInteger(length) || length < 1 || length > 4096) throw new Error('bytes must be 1..4096');
const random = crypto.getRandomValues(new Uint8Array(length));
const base64 = () => btoa(Array.from(random, (byte) => String.fromCharCode(byte)).join(''));

switch (encoding ?? 'hex') {
  case 'hex': return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
  case 'base64': return base64();
  case 'base64url': return base64().replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
throw new Error(`unsupported encoding: ${encoding}`);
