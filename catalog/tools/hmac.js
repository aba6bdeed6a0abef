const name = (algorithm ?? 'SHA-256').toUpperCase().replace(/^SHA-?/, 'SHA-');
if (!['SHA-256', 'SHA-384', 'SHA-512'].includes(name)) throw new Error(`unsupported algorithm: ${algorithm}`);
const encoder = new TextEncoder();
const key = await crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: name }, false, ['sign']);
const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(text));
return Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('');
