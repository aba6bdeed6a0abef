// installs: Headers FormData
// needs:
// after: abort.js
//
// What a request is made of besides its URL: header fields and form fields.

const {
  isArray, push, join, keys, replace, toLowerCase, trim, exec, String, Symbol, TypeError,
} = primordials;

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function fieldName(name) {
  name = toLowerCase(String(name));
  if (exec(token, name) === null) throw new TypeError(`"${name}" is no header name`);
  return name;
}

let pairs, of;

class Headers {
  #fields = []; // [name, value], in order of arrival

  // pairs gives fetch the fields as they are, and of makes Headers of fields that the host has already put in order.
  static {
    pairs = (headers) => headers.#fields;
    of = (fields) => {
      const headers = new Headers();
      headers.#fields = fields;
      return headers;
    };
  }

  constructor(init) {
    if (init === undefined || init === null) return;
    if (init instanceof Headers) {
      for (const [name, value] of init) this.append(name, value);
    } else if (isArray(init)) {
      for (let i = 0; i < init.length; i++) this.append(init[i][0], init[i][1]);
    } else if (typeof init === 'object') {
      const names = keys(init);
      for (let i = 0; i < names.length; i++) this.append(names[i], init[names[i]]);
    } else {
      throw new TypeError('headers are an object, a list of pairs or Headers');
    }
  }

  append(name, value) { push(this.#fields, [fieldName(name), trim(String(value))]); }
  set(name, value) {
    this.delete(name);
    this.append(name, value);
  }
  delete(name) {
    name = fieldName(name);
    const kept = [];
    for (let i = 0; i < this.#fields.length; i++) if (this.#fields[i][0] !== name) push(kept, this.#fields[i]);
    this.#fields = kept;
  }
  // get joins the values of a repeated field by a comma, as they may be sent.
  get(name) {
    name = fieldName(name);
    const values = [];
    for (let i = 0; i < this.#fields.length; i++) if (this.#fields[i][0] === name) push(values, this.#fields[i][1]);
    return values.length === 0 ? null : join(values, ', ');
  }
  has(name) { return this.get(name) !== null; }
  forEach(visit, that) { for (const [name, value] of this) visit.call(that, value, name, this); }
  *entries() {
    const names = [];
    for (let i = 0; i < this.#fields.length; i++) {
      const name = this.#fields[i][0];
      if (!names.includes(name)) push(names, name);
    }
    names.sort();
    for (let i = 0; i < names.length; i++) yield [names[i], this.get(names[i])];
  }
  *keys() { for (const [name] of this.entries()) yield name; }
  *values() { for (const [, value] of this.entries()) yield value; }
  [Symbol.iterator]() { return this.entries(); }
  get [Symbol.toStringTag]() { return 'Headers'; }
}

// FormData holds text fields. There are no files to send.
class FormData {
  #fields = [];

  append(name, value) { push(this.#fields, [String(name), String(value)]); }
  set(name, value) {
    this.delete(name);
    this.append(name, value);
  }
  delete(name) {
    name = String(name);
    const kept = [];
    for (let i = 0; i < this.#fields.length; i++) if (this.#fields[i][0] !== name) push(kept, this.#fields[i]);
    this.#fields = kept;
  }
  get(name) {
    const all = this.getAll(name);
    return all.length === 0 ? null : all[0];
  }
  getAll(name) {
    name = String(name);
    const values = [];
    for (let i = 0; i < this.#fields.length; i++) if (this.#fields[i][0] === name) push(values, this.#fields[i][1]);
    return values;
  }
  has(name) { return this.get(name) !== null; }
  forEach(visit, that) { for (const [name, value] of this) visit.call(that, value, name, this); }
  *entries() { for (let i = 0; i < this.#fields.length; i++) yield [this.#fields[i][0], this.#fields[i][1]]; }
  *keys() { for (const [name] of this.entries()) yield name; }
  *values() { for (const [, value] of this.entries()) yield value; }
  [Symbol.iterator]() { return this.entries(); }
  get [Symbol.toStringTag]() { return 'FormData'; }
}

const breaks = /\r\n|\r|\n/g;
const quoted = (name) => replace(replace(replace(name, breaks, '%0D%0A'), /"/g, '%22'), /\\/g, '%5C');

// multipart writes a form as the body of a request, with a boundary that occurs in none of its fields.
function multipart(form) {
  const fields = [...form.entries()];
  let boundary;
  for (let n = 0; ; n++) {
    boundary = `----glovebox-form-${n}`;
    let free = true;
    for (let i = 0; i < fields.length && free; i++) free = !fields[i][0].includes(boundary) && !fields[i][1].includes(boundary);
    if (free) break;
  }
  const parts = [];
  for (let i = 0; i < fields.length; i++) {
    push(parts, `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(fields[i][0])}"\r\n\r\n${replace(fields[i][1], breaks, '\r\n')}\r\n`);
  }
  push(parts, `--${boundary}--\r\n`);
  return { __proto__: null, body: join(parts, ''), type: `multipart/form-data; boundary=${boundary}` };
}

host.http = { __proto__: null, Headers, FormData, multipart, pairs, of };

host.install('Headers', Headers);
host.install('FormData', FormData);
