// installs: FormData
// needs:
// after: blob.js
//
// Form fields: texts, and blobs with a file name.

const { apply, fillFrom, indexOf, join, push, swap, toWellFormed, String, Symbol, TypeError, Uint8Array } = primordials;
const { bytesOf } = host.blobs;
const { length } = host.bytes;

const text = (value) => toWellFormed(String(value));

// field makes a field of what was given for it: a text, or a blob that keeps its file name.
function field(name, value, file) {
  if (bytesOf(value) !== undefined) return { __proto__: null, name: text(name), value, file: text(file ?? value.name ?? 'blob') };
  if (file !== undefined) throw new TypeError('only a Blob has a file name');
  return { __proto__: null, name: text(name), value: text(value), file: undefined };
}

let fieldsOf; // fieldsOf(form)

class FormData {
  #fields = [];

  append(name, value, file) { push(this.#fields, field(name, value, file)); }
  // set changes the first field of the name and takes the others away.
  set(name, value, file) {
    const made = field(name, value, file);
    const kept = [];
    let found = false;
    for (let i = 0; i < this.#fields.length; i++) {
      if (this.#fields[i].name !== made.name) push(kept, this.#fields[i]);
      else if (!found) push(kept, made), found = true;
    }
    if (!found) push(kept, made);
    this.#fields = kept;
  }
  delete(name) {
    name = text(name);
    const kept = [];
    for (let i = 0; i < this.#fields.length; i++) if (this.#fields[i].name !== name) push(kept, this.#fields[i]);
    this.#fields = kept;
  }
  get(name) {
    const all = this.getAll(name);
    return all.length === 0 ? null : all[0];
  }
  getAll(name) {
    name = text(name);
    const values = [];
    for (let i = 0; i < this.#fields.length; i++) if (this.#fields[i].name === name) push(values, this.#fields[i].value);
    return values;
  }
  has(name) { return this.get(name) !== null; }
  forEach(visit, that) {
    for (let i = 0; i < this.#fields.length; i++) apply(visit, that, [this.#fields[i].value, this.#fields[i].name, this]);
  }
  *entries() { for (let i = 0; i < this.#fields.length; i++) yield [this.#fields[i].name, this.#fields[i].value]; }
  *keys() { for (let i = 0; i < this.#fields.length; i++) yield this.#fields[i].name; }
  *values() { for (let i = 0; i < this.#fields.length; i++) yield this.#fields[i].value; }
  [Symbol.iterator]() { return this.entries(); }
  get [Symbol.toStringTag]() { return 'FormData'; }

  static {
    fieldsOf = (form) => form.#fields;
  }
}

const breaks = /\r\n|\r|\n/g;
const escapes = { __proto__: null, '\r': '%0D', '\n': '%0A', '"': '%22' };
const quoted = (name) => swap(swap(name, breaks, '\r\n'), /[\r\n"]/g, (c) => escapes[c]);

// multipart writes a form as the body of a request. A boundary that is nobody's secret must not occur in a field: the
// number in it grows until it does not.
function multipart(form) {
  const fields = fieldsOf(form);
  const texts = [];
  let blobs = false;
  for (let i = 0; i < fields.length; i++) {
    const { name, value, file } = fields[i];
    if (file === undefined) push(texts, `Content-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${swap(value, breaks, '\r\n')}`);
    else {
      blobs = true;
      push(texts, `Content-Disposition: form-data; name="${quoted(name)}"; filename="${quoted(file)}"\r\nContent-Type: ${value.type || 'application/octet-stream'}\r\n\r\n`);
    }
  }
  const all = join(texts, '');
  let boundary;
  for (let n = 0; boundary === undefined || indexOf(all, boundary) >= 0; n++) boundary = `----glovebox-form-${n}`;
  const type = `multipart/form-data; boundary=${boundary}`;
  const pieces = [];
  for (let i = 0; i < fields.length; i++) {
    push(pieces, `--${boundary}\r\n${texts[i]}`);
    if (fields[i].file !== undefined) push(pieces, bytesOf(fields[i].value));
    push(pieces, '\r\n');
  }
  push(pieces, `--${boundary}--\r\n`);
  if (!blobs) return { __proto__: null, body: join(pieces, ''), bytes: undefined, type };
  return { __proto__: null, body: undefined, bytes: joined(pieces), type };
}

// joined is texts and bytes in one piece.
function joined(pieces) {
  const parts = [];
  let size = 0;
  for (let n = 0; n < pieces.length; n++) {
    parts[n] = typeof pieces[n] === 'string' ? host.call('encoding.encode', pieces[n])[1] : pieces[n];
    size += length(parts[n]);
  }
  const out = new Uint8Array(size);
  for (let n = 0, at = 0; n < parts.length; at += length(parts[n]), n++) fillFrom(out, parts[n], at);
  return out;
}

host.form = { __proto__: null, FormData, multipart };
host.install('FormData', FormData);
