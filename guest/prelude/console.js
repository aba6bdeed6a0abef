// installs: console
// needs:

const { defineProperty, isArray, join, push, stringify, Error } = primordials;

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
    const parts = [];
    for (let i = 0; i < values.length; i++) push(parts, text(values[i]));
    host.log(level, join(parts, ' '));
  };
}

const console = {};
for (const level of ['log', 'info', 'warn', 'error', 'debug']) {
  defineProperty(console, level, { value: writer(level), writable: true, enumerable: true, configurable: true });
}
defineProperty(globalThis, 'console', { value: console, writable: true, enumerable: false, configurable: true });
