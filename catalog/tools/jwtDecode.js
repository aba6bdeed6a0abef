// Header and payload of a JSON Web Token. Nothing is verified.
const parts = token.trim().split('.');
// A token without a signature may have lost its last dot.
if (parts.length < 2 || parts.length > 3) throw new Error('not a JWT: expected two or three parts');
function decode(part, what) {
  try {
    const standard = part.replaceAll('-', '+').replaceAll('_', '/');
    const binary = atob(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (c) => c.charCodeAt(0))));
  } catch {
    throw new Error(`not a JWT: ${what} is no base64url JSON`);
  }
}
return { header: decode(parts[0], 'the header'), payload: decode(parts[1], 'the payload'), signaturePresent: (parts[2] ?? '') !== '' };
