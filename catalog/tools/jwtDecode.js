// Header and payload of a JSON Web Token. Nothing is verified.
const parts = token.trim().split('.');
if (parts.length !== 3) throw new Error('not a JWT: expected three parts');
function decode(part, what) {
  try {
    const standard = part.replaceAll('-', '+').replaceAll('_', '/');
    const binary = atob(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (c) => c.charCodeAt(0))));
  } catch {
    throw new Error(`not a JWT: ${what} is no base64url JSON`);
  }
}
return { header: decode(parts[0], 'the header'), payload: decode(parts[1], 'the payload') };
