// installs: Headers
// needs:
//
// Header fields of a request or a response.

const { apply, isArray, push, join, keys, sort, toLowerCase, trim, exec, String, Symbol, TypeError } = primordials;

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const unsendable = /[\0\n\r\u0100-\uffff]/;

function fieldName(name) {
  name = toLowerCase(String(name));
  if (exec(token, name) === null) throw new TypeError(`"${name}" is no header name`);
  return name;
}

function fieldValue(value) {
  value = trim(String(value));
  if (exec(unsendable, value) !== null) throw new TypeError('a header value is one line of Latin-1');
  return value;
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
    if (typeof init !== 'object') throw new TypeError('headers are an object, a list of pairs or Headers');
    if (typeof init[Symbol.iterator] === 'function') {
      for (const pair of init) {
        const both = isArray(pair) ? pair : [...pair];
        if (both.length !== 2) throw new TypeError('each header has a name and a value');
        this.append(both[0], both[1]);
      }
      return;
    }
    const names = keys(init);
    for (let i = 0; i < names.length; i++) this.append(names[i], init[names[i]]);
  }

  append(name, value) { push(this.#fields, [fieldName(name), fieldValue(value)]); }
  set(name, value) {
    value = fieldValue(value);
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
  // getSetCookie keeps apart what get would join: a cookie may have commas.
  getSetCookie() {
    const values = [];
    for (let i = 0; i < this.#fields.length; i++) if (this.#fields[i][0] === 'set-cookie') push(values, this.#fields[i][1]);
    return values;
  }
  forEach(visit, that) { for (const [name, value] of this) apply(visit, that, [value, name, this]); }
  *entries() {
    const names = [];
    for (let i = 0; i < this.#fields.length; i++) push(names, this.#fields[i][0]);
    sort(names);
    for (let i = 0; i < names.length; i++) {
      if (i > 0 && names[i] === names[i - 1]) continue;
      if (names[i] !== 'set-cookie') {
        yield [names[i], this.get(names[i])];
        continue;
      }
      const cookies = this.getSetCookie();
      for (let c = 0; c < cookies.length; c++) yield [names[i], cookies[c]];
    }
  }
  *keys() { for (const [name] of this.entries()) yield name; }
  *values() { for (const [, value] of this.entries()) yield value; }
  [Symbol.iterator]() { return this.entries(); }
  get [Symbol.toStringTag]() { return 'Headers'; }
}

host.headers = { __proto__: null, Headers, pairs, of };
host.install('Headers', Headers);
