// A mailto: link after RFC 6068 and a message after RFC 5322, whose header cannot be continued by an argument.
if (subject.trim() === '') throw new Error('subject is empty');
if (body.trim() === '') throw new Error('body is empty');
const addresses = (list, what) => (list ?? '').split(',').map((one) => one.trim()).filter((one) => one !== '').map((one) => {
  if (!/^[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}$/.test(one) || /^\.|\.\.|\.@/.test(one)) throw new Error(`${what} is not an address: ${one}`);
  return one;
});
const [receivers, copies] = [addresses(to, 'to'), addresses(cc, 'cc')];
const line = subject.replace(/[\0-\x1f\x7f]+/g, ' ').trim();
const encoder = new TextEncoder();
const base64 = (text) => encoder.encode(text).toBase64();
// Words of RFC 2047, each of at most 75 characters, where the subject is more than ASCII.
const words = (text) => {
  const all = [];
  let current = '';
  for (const character of text) {
    if (encoder.encode(current + character).length > 42) {
      all.push(current);
      current = '';
    }
    current += character;
  }
  return [...all, current].map((word) => `=?UTF-8?B?${base64(word)}?=`).join('\r\n ');
};
const plainSubject = /^[\x20-\x7e]*$/.test(line) && line.length <= 60 && !line.includes('=?');
const text = body.replace(/\r\n?|\n/g, '\r\n');
const headers = [];
if (receivers.length > 0) headers.push(`To: ${receivers.join(',\r\n ')}`);
if (copies.length > 0) headers.push(`Cc: ${copies.join(',\r\n ')}`);
headers.push(`Subject: ${plainSubject ? line : words(line)}`, 'X-Unsent: 1', 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64');
const eml = `${headers.join('\r\n')}\r\n\r\n${base64(text).replace(/.{76}(?=.)/g, '$&\r\n')}\r\n`;
const fields = [['cc', copies.join(',')], ['subject', line], ['body', text]].filter(([, value]) => value !== '');
const part = (value) => encodeURIComponent(value).replace(/['()*!]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const mailto = `mailto:${receivers.map((one) => part(one).replace('%40', '@')).join(',')}?${fields.map(([key, value]) => `${key}=${part(value)}`).join('&')}`;
const shown = [receivers.length > 0 && `To: ${receivers.join(', ')}`, copies.length > 0 && `Cc: ${copies.join(', ')}`, `Subject: ${line}`].filter(Boolean);
return { text: `${shown.join('\n')}\n\n${body}`, mailto, fileName: 'draft.eml', mimeType: 'message/rfc822', eml };
