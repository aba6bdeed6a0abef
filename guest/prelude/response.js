// installs: Response Request
// needs: encoding.encode encoding.decode url.parse
// after: abort.js body.js
//
// Response and Request. Their data never changes, so a body can be read more than once.

const {
  apply, charCodeAt, create, floor, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, min, parse, stringify, substring, then, toUpperCase, toWellFormed, uncurry,
  viewBuffer, viewLength, Number, RangeError, String, Symbol, TypeError, Uint8Array,
} = primordials;
const { Headers, pairs, of } = host.headers;
const { Blob, bytesOfText, formOf, give, textOfBytes, toSend } = host.body;
const { signals } = host;
const copyOf = primordials.copyPart;

const nothing = new Uint8Array(0);
const absolute = (url) => {
  try {
    return parse(host.call('url.parse', stringify({ __proto__: null, input: toWellFormed(String(url)) }))).href;
  } catch (error) {
    throw new TypeError(`a request needs a whole address: ${error.message}`);
  }
};

// bytesOf are the bytes of a body that was given to a constructor.
const bytesOf = ({ body, bytes }) => (body === undefined ? bytes : bytesOfText(body));

// withType adds the type of a body, unless the headers say one.
function withType(headers, type) {
  if (type !== undefined && !headers.has('content-type')) headers.append('content-type', type);
  return headers;
}

let opening = null; // the data of the Response that is being made, which no tool can make
let dataOf; // dataOf(response), dataOf(request): undefined for anything else

// Response is an answer. What fetch made has its head as JSON, read when it is first looked at, and is decoded by the
// charset of its type; what a tool made has UTF-8.
class Response {
  #data;
  #text;
  constructor(body, init) {
    if (opening !== null) {
      this.#data = opening;
      opening = null;
      return;
    }
    init ??= { __proto__: null };
    const status = init.status === undefined ? 200 : floor(Number(init.status));
    if (!(status >= 200 && status <= 599)) throw new RangeError('a status is from 200 to 599');
    const content = toSend(body);
    if (content.body === undefined && content.bytes === undefined) content.bytes = undefined;
    else if (status === 204 || status === 205 || status === 304) throw new TypeError(`a response with status ${status} has no body`);
    this.#data = {
      __proto__: null, head: { __proto__: null, status, statusText: init.statusText === undefined ? '' : String(init.statusText), url: '', redirected: false },
      headers: withType(new Headers(init.headers), content.type), bytes: bytesOf(content), made: true, type: 'default', used: false, start: 0, length: Infinity,
    };
  }
  static json(value, init) {
    const text = stringify(value);
    if (text === undefined) throw new TypeError('this value has no JSON');
    const headers = withType(new Headers(init?.headers), 'application/json');
    return new Response(text, { __proto__: null, status: init?.status, statusText: init?.statusText, headers });
  }
  static redirect(url, status = 302) {
    if (status !== 301 && status !== 302 && status !== 303 && status !== 307 && status !== 308) throw new RangeError('not the status of a redirect');
    return new Response(null, { __proto__: null, status, headers: { __proto__: null, location: absolute(url) } });
  }
  static error() {
    const response = new Response();
    response.#data.head.status = 0;
    response.#data.type = 'error';
    return response;
  }

  get #head() { return (this.#data.head ??= parse(this.#data.text)); }
  get status() { return this.#head.status; }
  get ok() { return this.status >= 200 && this.status < 300; }
  get statusText() { return this.#head.statusText; }
  get url() { return this.#head.url; }
  get redirected() { return this.#head.redirected; }
  get type() { return this.#data.type ?? 'basic'; }
  get headers() { return (this.#data.headers ??= of(this.#head.headers)); }
  get contentType() { return this.headers.get('content-type') ?? ''; }
  get truncated() { return this.#slice().next !== null; }
  get nextStartIndex() { return this.#slice().next; }
  get bodyUsed() { return this.#data.used === true; }

  #whole() {
    this.#text ??= this.#data.made ? textOfBytes(this.#data.bytes) : host.call('http.text', this.contentType, this.#data.bytes);
    return this.#text;
  }
  // slice is the piece of the text that startIndex and maxLength ask for, which never cuts a character of two
  // UTF-16 units apart.
  #slice() {
    const { start, length } = this.#data;
    if (start === 0 && length === Infinity) return { __proto__: null, text: this.#whole(), next: null };
    const text = this.#whole();
    const from = min(start, text.length);
    let to = min(from + length, text.length);
    if (to < text.length && to > from && (charCodeAt(text, to - 1) & 0xfc00) === 0xd800) to++;
    return { __proto__: null, text: substring(text, from, to), next: to < text.length ? to : null };
  }
  #json() { return parse(this.#data.made ? this.#whole() : host.call('http.json', this.contentType, this.#data.bytes)); }
  #give(read) {
    return give(() => {
      this.#data.used = true;
      return read();
    });
  }

  text() { return this.#give(() => this.#slice().text); }
  json() { return this.#give(() => this.#json()); }
  bytes() { return this.#give(() => copyOf(this.#data.bytes ?? nothing)); }
  arrayBuffer() { return this.#give(() => viewBuffer(copyOf(this.#data.bytes ?? nothing))); }
  blob() { return this.#give(() => new Blob([this.#data.bytes ?? nothing], { __proto__: null, type: this.contentType })); }
  formData() { return this.#give(() => formOf(this.contentType, this.#whole())); }
  clone() { return open(this.#data); }
  // In JSON a Response would be {}, which is nobody's intention.
  toJSON() { throw new TypeError('a Response is not data: return what its json() or text() gives'); }
  get [Symbol.toStringTag]() { return 'Response'; }
}

function open(data) {
  opening = { __proto__: null, ...data, used: false };
  return new Response();
}

// Request is what fetch can be asked for.
class Request {
  #data;
  constructor(input, init) {
    init ??= { __proto__: null };
    const from = dataOf(input);
    const pick = (name, def) => (init[name] !== undefined ? init[name] : from !== undefined ? from[name] : def);
    const method = String(pick('method', 'GET'));
    const upper = toUpperCase(method);
    const content = init.body !== undefined ? toSend(init.body) : { __proto__: null, body: undefined, bytes: from?.bytes, type: undefined };
    const bytes = bytesOf(content);
    if (bytes !== undefined && (upper === 'GET' || upper === 'HEAD')) throw new TypeError(`a ${upper} request has no body`);
    const signal = pick('signal', undefined);
    if (signal !== undefined && signal !== null && signals.state(signal) === undefined) throw new TypeError('signal is an AbortSignal');
    this.#data = {
      __proto__: null, url: from === undefined ? absolute(input) : from.url,
      method: upper === 'GET' || upper === 'HEAD' || upper === 'POST' || upper === 'PUT' || upper === 'PATCH' || upper === 'DELETE' || upper === 'OPTIONS' ? upper : method,
      headers: withType(new Headers(init.headers ?? from?.headers), content.type), bytes, redirect: String(pick('redirect', 'follow')), signal, used: false,
    };
  }
  static {
    dataOf = (value) => (typeof value === 'object' && value !== null && #data in value ? value.#data : undefined);
  }
  get url() { return this.#data.url; }
  get method() { return this.#data.method; }
  get headers() { return this.#data.headers; }
  get redirect() { return this.#data.redirect; }
  get signal() { return this.#data.signal; }
  get bodyUsed() { return this.#data.used; }
  get #type() { return this.headers.get('content-type') ?? ''; }
  #give(read) {
    return give(() => {
      this.#data.used = true;
      return read();
    });
  }
  text() { return this.#give(() => textOfBytes(this.#data.bytes)); }
  json() { return this.#give(() => parse(textOfBytes(this.#data.bytes))); }
  bytes() { return this.#give(() => copyOf(this.#data.bytes ?? nothing)); }
  arrayBuffer() { return this.#give(() => viewBuffer(copyOf(this.#data.bytes ?? nothing))); }
  blob() { return this.#give(() => new Blob([this.#data.bytes ?? nothing], { __proto__: null, type: this.#type })); }
  formData() { return this.#give(() => formOf(this.#type, textOfBytes(this.#data.bytes))); }
  clone() { return new Request(this); }
  get [Symbol.toStringTag]() { return 'Request'; }
}

host.responses = { __proto__: null, open, requestOf: dataOf };
host.install('Response', Response);
host.install('Request', Request);
