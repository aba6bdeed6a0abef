// installs: console
// needs:

const { isArray, max, min, swap, stringify, substring, Error, String } = primordials;

// As the specification's console prints: undefined reads null, an object is its JSON, an error its name and message.
function text(value) {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return value;
  if (typeof value === 'function') return `[function ${value.name}]`;
  if (typeof value !== 'object') return String(value);
  if (value instanceof Error) return String(value);
  try {
    return stringify(value) ?? 'null';
  } catch {
    return isArray(value) ? '[array]' : '[object]'; // a cycle, a BigInt or a toJSON that throws
  }
}

let margin = ''; // of the groups that are open

// write prints one entry of the console: the values, apart by one space.
function write(level, values) {
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
