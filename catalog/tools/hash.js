const name = (algorithm ?? 'SHA-256').toUpperCase().replace(/^SHA-?/, 'SHA-');
if (!['SHA-256', 'SHA-384', 'SHA-512'].includes(name)) throw new Error(`unsupported algorithm: ${algorithm}`);
const digest = await crypto.subtle.digest(name, new TextEncoder().encode(text));
return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
