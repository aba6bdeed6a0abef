// installs: console
// needs:

const { getPrototypeOf, indexOf, isArray, max, min, swap, stringify, substring, trunc, Error, Number, Object, String } = primordials;

const plain = Object.prototype;

// As the specification's console prints: undefined reads null, an object is its JSON, an error its name and message.
// What JSON would print as {} or not at all is shown as Node shows it.
function text(value) {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return value;
  if (typeof value === 'function') return `[function ${value.name}]`;
  if (typeof value !== 'object') return String(value);
  try {
    if (value instanceof Error) return String(value);
    const of = getPrototypeOf(value);
    if (isArray(value) || of === plain || of === null || typeof value.toJSON === 'function') {
      const json = stringify(value);
      if (json !== undefined && indexOf(json, '{}') < 0) return json;
      if (json === '{}') return json;
    }
  } catch {
    // a cycle, a BigInt or a toJSON that throws
  }
  try {
    host.need('inspect.js');
    return host.inspect(value);
  } catch {
    return isArray(value) ? '[array]' : '[object]'; // a getter that throws, a proxy
  }
}

// formatted puts values in the place of %s, %d, %i, %f, %j, %o, %O and %c in a first text; the others follow it.
function formatted(values) {
  const first = values[0];
  let out = '';
  let from = 0;
  let used = 1;
  for (let at = indexOf(first, '%'); at >= 0 && at + 1 < first.length; at = indexOf(first, '%', at)) {
    const kind = first[at + 1];
    if (kind === '%') {
      out += substring(first, from, at + 1);
    } else if (used < values.length && indexOf('sdifjoOc', kind) >= 0) {
      const value = values[used++];
      out += substring(first, from, at);
      if (kind === 's') out += text(value);
      else if (kind === 'd') out += typeof value === 'object' ? 'NaN' : String(typeof value === 'bigint' ? value : Number(value));
      else if (kind === 'i') out += typeof value === 'object' ? 'NaN' : String(trunc(Number(value)));
      else if (kind === 'f') out += String(Number(value));
      else if (kind === 'j') out += stringify(value);
      else if (kind !== 'c') out += typeof value === 'string' ? stringify(value) : text(value);
    } else {
      at++;
      continue;
    }
    at += 2;
    from = at;
  }
  const rest = [out + substring(first, from)];
  for (; used < values.length; used++) rest[rest.length] = values[used];
  return rest;
}

let margin = ''; // of the groups that are open

// write prints one entry of the console: the values, apart by one space.
function write(level, values) {
  if (values.length > 1 && typeof values[0] === 'string' && indexOf(values[0], '%') >= 0) values = formatted(values);
  let line = '';
  for (let i = 0; i < values.length; i++) line += (i === 0 ? '' : ' ') + text(values[i]);
  host.log(level, margin === '' ? line : margin + swap(line, /\n/g, `\n${margin}`));
}

// Deepest group that is still indented: a margin costs as many characters in every line.
const DEEPEST = 20;
let depth = 0;

host.console = {
  __proto__: null, text, write,
  indent(by) {
    depth = max(0, depth + by);
    margin = substring('                                        ', 0, 2 * min(depth, DEEPEST));
  },
};

for (const level of ['log', 'info', 'warn', 'error', 'debug']) {
  host.install(`console.${level}`, (...values) => write(level, values));
}
