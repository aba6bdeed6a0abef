// installs: URL URLSearchParams
// needs: url.parse url.set url.readForm url.writeForm
//
// URL and URLSearchParams. The host takes URLs apart; the parts of one are kept here, as they are read more often than
// they change.

const { isArray, keys, parse, push, sort, stringify, substring, toWellFormed, String, Symbol, TypeError, apply } = primordials;

const iterator = Symbol.iterator;
const text = (value) => toWellFormed(String(value));

// ask makes a host call about a URL; undefined members are left out.
const ask = (op, fields) => parse(host.call(op, stringify(fields)));

let opening = null; // [url, query] of the URLSearchParams that a URL is making of itself
let changed; // changed(url, query) tells a URL that its parameters have changed
let refresh; // refresh(params, query) tells parameters that their URL has changed

const read = (query) => (query === '' ? [] : ask('url.readForm', query));

class URL {
  #parts;
  #params = null;

  constructor(input, base) {
    if ((input === undefined || input === null || input === '') && base === undefined) {
      throw host.refuse('INVALID_INPUT', 'URL', 'missing-input', 'there is no URL');
    }
    this.#parts = ask('url.parse', { __proto__: null, input: text(input), base: base === undefined ? undefined : text(base) });
  }
  static canParse(input, base) {
    return URL.parse(input, base) !== null;
  }
  static parse(input, base) {
    try {
      return new URL(input, base);
    } catch {
      return null;
    }
  }

  #take(parts) {
    this.#parts = parts;
    if (this.#params !== null) refresh(this.#params, substring(parts.search, 1));
  }
  #set(part, value) {
    this.#take(ask('url.set', { __proto__: null, input: this.#parts.href, part, value: text(value) }));
  }

  get href() { return this.#parts.href; }
  set href(value) { this.#take(ask('url.parse', { __proto__: null, input: text(value) })); }
  get origin() { return this.#parts.origin; }
  get protocol() { return this.#parts.protocol; }
  set protocol(value) { this.#set('protocol', value); }
  get username() { return this.#parts.username; }
  set username(value) { this.#set('username', value); }
  get password() { return this.#parts.password; }
  set password(value) { this.#set('password', value); }
  get host() { return this.#parts.host; }
  set host(value) { this.#set('host', value); }
  get hostname() { return this.#parts.hostname; }
  set hostname(value) { this.#set('hostname', value); }
  get port() { return this.#parts.port; }
  set port(value) { this.#set('port', value); }
  get pathname() { return this.#parts.pathname; }
  set pathname(value) { this.#set('pathname', value); }
  get search() { return this.#parts.search; }
  set search(value) { this.#set('search', value); }
  get hash() { return this.#parts.hash; }
  set hash(value) { this.#set('hash', value); }
  get searchParams() {
    if (this.#params === null) {
      opening = [this, substring(this.#parts.search, 1)];
      this.#params = new URLSearchParams();
    }
    return this.#params;
  }
  toString() { return this.#parts.href; }
  toJSON() { return this.#parts.href; }
  get [Symbol.toStringTag]() { return 'URL'; }

  static {
    changed = (url, query) => {
      url.#parts = ask('url.set', { __proto__: null, input: url.#parts.href, part: 'search', value: query });
    };
  }
}

class URLSearchParams {
  #list = []; // [name, value]
  #url = null;

  constructor(init) {
    if (opening !== null) {
      const [url, query] = opening;
      opening = null;
      this.#url = url;
      this.#list = read(query);
    } else if (init !== undefined && init !== null) {
      if (typeof init === 'object' || typeof init === 'function') this.#fill(init);
      else this.#list = read(unmarked(text(init)));
    }
  }
  #fill(init) {
    if (typeof init[iterator] === 'function') {
      for (const pair of init) {
        const both = isArray(pair) ? pair : [...pair];
        if (both.length !== 2) throw new TypeError('each pair has a name and a value');
        push(this.#list, [text(both[0]), text(both[1])]);
      }
      return;
    }
    const names = keys(init);
    for (let n = 0; n < names.length; n++) push(this.#list, [text(names[n]), text(init[names[n]])]);
  }
  #changed() {
    if (this.#url !== null) changed(this.#url, this.toString());
  }

  get size() { return this.#list.length; }
  append(name, value) {
    push(this.#list, [text(name), text(value)]);
    this.#changed();
  }
  delete(name, value) {
    name = text(name);
    if (value !== undefined) value = text(value);
    const kept = [];
    for (let n = 0; n < this.#list.length; n++) {
      const pair = this.#list[n];
      if (pair[0] !== name || (value !== undefined && pair[1] !== value)) push(kept, pair);
    }
    this.#list = kept;
    this.#changed();
  }
  get(name) {
    name = text(name);
    for (let n = 0; n < this.#list.length; n++) if (this.#list[n][0] === name) return this.#list[n][1];
    return null;
  }
  getAll(name) {
    name = text(name);
    const values = [];
    for (let n = 0; n < this.#list.length; n++) if (this.#list[n][0] === name) push(values, this.#list[n][1]);
    return values;
  }
  has(name, value) {
    name = text(name);
    if (value !== undefined) value = text(value);
    for (let n = 0; n < this.#list.length; n++) {
      if (this.#list[n][0] === name && (value === undefined || this.#list[n][1] === value)) return true;
    }
    return false;
  }
  // set changes the first pair of the name and takes the others away.
  set(name, value) {
    name = text(name);
    value = text(value);
    const kept = [];
    let found = false;
    for (let n = 0; n < this.#list.length; n++) {
      const pair = this.#list[n];
      if (pair[0] !== name) push(kept, pair);
      else if (!found) push(kept, [name, value]), found = true;
    }
    if (!found) push(kept, [name, value]);
    this.#list = kept;
    this.#changed();
  }
  // sort goes by UTF-16 units, as the comparison of strings does, and keeps the order of equal names.
  sort() {
    sort(this.#list, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    this.#changed();
  }
  forEach(visit, that) {
    for (let n = 0; n < this.#list.length; n++) apply(visit, that, [this.#list[n][1], this.#list[n][0], this]);
  }
  *entries() { for (let n = 0; n < this.#list.length; n++) yield [this.#list[n][0], this.#list[n][1]]; }
  *keys() { for (let n = 0; n < this.#list.length; n++) yield this.#list[n][0]; }
  *values() { for (let n = 0; n < this.#list.length; n++) yield this.#list[n][1]; }
  [iterator]() { return this.entries(); }
  toString() { return this.#list.length === 0 ? '' : ask('url.writeForm', this.#list); }
  get [Symbol.toStringTag]() { return 'URLSearchParams'; }

  static {
    refresh = (params, query) => { params.#list = read(query); };
  }
}

const unmarked = (query) => (query[0] === '?' ? substring(query, 1) : query);

host.install('URL', URL);
host.install('URLSearchParams', URLSearchParams);
