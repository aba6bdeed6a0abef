// installs: TextEncoder TextDecoder atob btoa
// needs: encoding.atob encoding.btoa encoding.encode encoding.encodeInto encoding.label encoding.decode
// after: bytes.js
//
// Text and bytes. The work is the host's: a loop over characters would use up a tool's statements.

const { String, Number, Symbol, stringify, fillFrom, toWellFormed, viewKind } = primordials;
const { of, sent, length } = host.bytes;

const refuse = (helper, reason, message) => host.refuse('INVALID_INPUT', helper, reason, message);

class TextEncoder {
  get encoding() { return 'utf-8'; }
  encode(text = '') { return host.call('encoding.encode', toWellFormed(String(text)))[1]; }
  // encodeInto writes as much as there is room for and never part of a character.
  encodeInto(text, into) {
    if (viewKind(into) !== 'Uint8Array') throw refuse('TextEncoder', 'not-array', 'encodeInto writes into a Uint8Array');
    const [read, bytes] = host.call('encoding.encodeInto', `${length(into)}\n${toWellFormed(String(text))}`);
    fillFrom(into, bytes);
    return { read: Number(read), written: length(bytes) };
  }
  get [Symbol.toStringTag]() { return 'TextEncoder'; }
}

let streams = 0;

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBOM;
  #stream = ++streams; // what the host knows this text by while it comes in pieces

  constructor(label = 'utf-8', options) {
    this.#encoding = host.call('encoding.label', toWellFormed(String(label)));
    this.#fatal = !!options?.fatal;
    this.#ignoreBOM = !!options?.ignoreBOM;
  }
  get encoding() { return this.#encoding; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#ignoreBOM; }
  decode(input, options) {
    const bytes = input === undefined ? undefined : of(input);
    if (bytes === undefined && input !== undefined) throw refuse('TextDecoder', 'not-array', 'decode reads an ArrayBuffer or a view of one');
    return host.call('encoding.decode', stringify({
      __proto__: null, label: this.#encoding, fatal: this.#fatal, ignoreBOM: this.#ignoreBOM, stream: !!options?.stream, id: this.#stream,
    }), sent(bytes));
  }
  get [Symbol.toStringTag]() { return 'TextDecoder'; }
}

host.install('TextEncoder', TextEncoder);
host.install('TextDecoder', TextDecoder);
host.install('atob', function atob(text) { return host.call('encoding.atob', toWellFormed(String(text))); });
host.install('btoa', function btoa(text) { return host.call('encoding.btoa', toWellFormed(String(text))); });
