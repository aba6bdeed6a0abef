// installs: Blob File
// needs: encoding.encode encoding.decode
// after: bytes.js
//
// Blob: bytes with a type, from texts, buffers and other blobs. It never changes. File: one with a name.

const { exec, fillFrom, copyPart, isArray, max, min, push, toLowerCase, toWellFormed, swap, trunc, viewBuffer, Date, Number, String, Symbol, TypeError, Uint8Array } = primordials;
const { of, sent, length } = host.bytes;

let bytesOf; // bytesOf(value) are the bytes of a Blob; undefined for anything else
let making; // the bytes of a slice

const asText = '{"label":"utf-8","id":0}';
const printable = /^[\x20-\x7e]*$/;
const breaks = /\r\n|\r|\n/g;

function part(value, native) {
  const inner = bytesOf(value);
  if (inner !== undefined) return inner;
  if (typeof value === 'object' && value !== null && !isArray(value)) {
    const bytes = of(value);
    if (bytes !== undefined) return bytes;
  }
  const text = toWellFormed(String(value));
  return host.call('encoding.encode', native ? swap(text, breaks, '\n') : text)[1];
}

const typeOf = (type) => {
  type = type === undefined ? '' : String(type);
  return exec(printable, type) === null ? '' : toLowerCase(type);
};

class Blob {
  #bytes;
  #type;

  constructor(parts, options) {
    this.#type = typeOf(options?.type);
    if (making !== undefined) {
      this.#bytes = making;
      making = undefined;
      return;
    }
    const pieces = [];
    let size = 0;
    if (parts !== undefined) {
      if (typeof parts !== 'object' || parts === null) throw new TypeError('a Blob is made of a list of parts');
      for (const one of parts) {
        const bytes = part(one, options?.endings === 'native');
        push(pieces, bytes);
        size += length(bytes);
      }
    }
    this.#bytes = new Uint8Array(size);
    for (let n = 0, at = 0; n < pieces.length; at += length(pieces[n]), n++) fillFrom(this.#bytes, pieces[n], at);
  }
  get size() { return length(this.#bytes); }
  get type() { return this.#type; }
  slice(start = 0, end = this.size, type = '') {
    const place = (n) => {
      n = trunc(Number(n)) || 0;
      return n < 0 ? max(this.size + n, 0) : min(n, this.size);
    };
    const from = place(start);
    making = copyPart(this.#bytes, from, max(from, place(end)));
    return new Blob(undefined, { type });
  }
  async text() { return host.call('encoding.decode', asText, sent(this.#bytes)); }
  async bytes() { return copyPart(this.#bytes); }
  async arrayBuffer() { return viewBuffer(copyPart(this.#bytes)); }
  get [Symbol.toStringTag]() { return 'Blob'; }

  static {
    bytesOf = (value) => (typeof value === 'object' && value !== null && #bytes in value ? value.#bytes : undefined);
  }
}

class File extends Blob {
  #name;
  #modified;
  constructor(parts, name, options) {
    if (arguments.length < 2) throw new TypeError('a File is made of a list of parts and a name');
    super(parts, options);
    this.#name = toWellFormed(String(name));
    this.#modified = options?.lastModified === undefined ? Date.now() : trunc(Number(options.lastModified)) || 0;
  }
  get name() { return this.#name; }
  get lastModified() { return this.#modified; }
  get webkitRelativePath() { return ''; }
  get [Symbol.toStringTag]() { return 'File'; }
}

host.blobs = { __proto__: null, Blob, bytesOf };
host.install('Blob', Blob);
host.install('File', File);
