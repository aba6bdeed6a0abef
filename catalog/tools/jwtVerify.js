// Checks the HMAC signature, exp and nbf of a JSON Web Token.
const hashes = { HS256: 'SHA-256', HS384: 'SHA-384', HS512: 'SHA-512' };
const parts = token.trim().split('.');
if (parts.length !== 3) throw new Error('not a JWT: expected three parts');

function bytes(part) {
  const standard = part.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(standard.padEnd(Math.ceil(standard.length / 4) * 4, '=')), (c) => c.charCodeAt(0));
}
function decode(part, what) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes(part)));
  } catch {
    throw new Error(`not a JWT: ${what} is no base64url JSON`);
  }
}

const header = decode(parts[0], 'the header');
const payload = decode(parts[1], 'the payload');
const reasons = [];

// The algorithm must be one that a secret can verify: a token does not get to choose "none" or a public key.
if (!Object.hasOwn(hashes, header.alg)) {
  reasons.push(`unsupported algorithm: ${header.alg}`);
} else {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: hashes[header.alg] }, false, ['sign']);
  const want = Array.from(await crypto.subtle.sign('HMAC', key, encoder.encode(`${parts[0]}.${parts[1]}`)));
  let got = [];
  try {
    got = Array.from(bytes(parts[2]));
  } catch {
    // not base64url: no signature can match
  }
  let difference = want.length ^ got.length;
  for (let i = 0; i < want.length; i++) difference |= want[i] ^ (got[i] ?? 0);
  if (difference !== 0) reasons.push('bad signature');
}
const now = Math.floor(Date.now() / 1000);
if (typeof payload.exp === 'number' && now >= payload.exp) reasons.push('token expired');
if (typeof payload.nbf === 'number' && now < payload.nbf) reasons.push('token not yet valid');
return { valid: reasons.length === 0, algorithm: header.alg ?? null, header, payload, reasons };
