// installs: console
// needs:

const { defineProperty, isArray, stringify, Error, String } = primordials;

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

function writer(level) {
  return (...values) => {
    let line = '';
    for (let i = 0; i < values.length; i++) line += (i === 0 ? '' : ' ') + text(values[i]);
    host.log(level, line);
  };
}

const console = {};
for (const level of ['log', 'info', 'warn', 'error', 'debug']) {
  defineProperty(console, level, { value: writer(level), writable: true, enumerable: true, configurable: true });
}
defineProperty(globalThis, 'console', { value: console, writable: true, enumerable: false, configurable: true });
