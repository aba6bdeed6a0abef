// installs:
// needs:
//
// How console shows what JSON has no words for: Map, Set, RegExp, errors, class instances, cycles. The form is that of
// Node on one line.

const {
  apply, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, isArray, isView, join, keys, mapForEach, mapGet, mapSet, push, setForEach, stringify, swap, then, timeOf, uncurry,
  viewKind, Date, DOMException, Error, Map, Promise, RegExp, Set, String, WeakMap, WeakSet, ArrayBuffer, bufferLength, exec,
} = primordials;

const DEPTH = 6, ITEMS = 100;
const name = /^[A-Za-z_$][\w$]*$/;
const textOfRegExp = uncurry(RegExp.prototype.toString);
const textOfDate = uncurry(Date.prototype.toISOString);
const quote = (text) => `'${swap(swap(text, /[\\']/g, (c) => `\\${c}`), /\n/g, '\\n')}'`;
const key = (text) => (exec(name, text) !== null ? text : quote(text));

const classOf = (value) => {
  const prototype = getPrototypeOf(value);
  if (prototype === null) return '[Object: null prototype]';
  const made = getOwnPropertyDescriptor(prototype, 'constructor')?.value ?? value.constructor;
  return typeof made === 'function' && typeof made.name === 'string' ? made.name : 'Object';
};

const simple = (value) => {
  switch (typeof value) {
    case 'string': return quote(value);
    case 'bigint': return `${value}n`;
    case 'function': return value.name === '' ? '[Function (anonymous)]' : `[Function: ${value.name}]`;
    case 'number': return value === 0 && 1 / value < 0 ? '-0' : String(value);
    default: return String(value);
  }
};

// around is open, what is inside, and close; all that is over ITEMS is counted.
function around(open, inside, close, more) {
  if (more > 0) push(inside, `... ${more} more item${more > 1 ? 's' : ''}`);
  return inside.length === 0 ? open + close : `${open} ${join(inside, ', ')} ${close}`;
}

// show writes one value; above holds the objects around it, and circles those that were met again.
function show(value, above, circles, depth) {
  if (typeof value !== 'object' || value === null) return simple(value);
  for (let n = 0; n < above.length; n++) {
    if (above[n] !== value) continue;
    if (mapGet(circles, value) === undefined) mapSet(circles, value, circles.size + 1);
    return `[Circular *${mapGet(circles, value)}]`;
  }
  if (value instanceof RegExp) return textOfRegExp(value);
  if (value instanceof Date) return timeOf(value) === timeOf(value) ? textOfDate(value) : 'Invalid Date';
  if (value instanceof Promise) return 'Promise';
  if (value instanceof WeakMap || value instanceof WeakSet) return `${classOf(value)} { <items unknown> }`;
  if (value instanceof Error || value instanceof DOMException) return depth === 0 ? String(value) : `[${String(value)}]`;
  const of = classOf(value);
  if (depth >= DEPTH) return `[${isArray(value) ? 'Array' : of}]`;
  push(above, value);
  const inner = (v) => show(v, above, circles, depth + 1);
  const text = members(value, of, inner);
  above.length -= 1;
  const circle = mapGet(circles, value);
  return circle === undefined ? text : `<ref *${circle}> ${text}`;
}

function members(value, of, inner) {
  const inside = [];
  if (isArray(value) || isView(value) && viewKind(value) !== undefined) {
    for (let n = 0; n < value.length && n < ITEMS; n++) push(inside, hasOwn(value, n) ? inner(value[n]) : '<empty>');
    return around(isArray(value) ? '[' : `${of}(${value.length}) [`, inside, ']', value.length - ITEMS);
  }
  if (value instanceof Map) {
    mapForEach(value, (v, k) => { if (inside.length < ITEMS) push(inside, `${inner(k)} => ${inner(v)}`); });
    return around(`${of}(${value.size}) {`, inside, '}', value.size - ITEMS);
  }
  if (value instanceof Set) {
    setForEach(value, (v) => { if (inside.length < ITEMS) push(inside, inner(v)); });
    return around(`${of}(${value.size}) {`, inside, '}', value.size - ITEMS);
  }
  if (value instanceof ArrayBuffer) return `${of} { byteLength: ${bufferLength(value)} }`;
  const names = keys(value);
  for (let n = 0; n < names.length && n < ITEMS; n++) {
    const own = getOwnPropertyDescriptor(value, names[n]);
    push(inside, `${key(names[n])}: ${own === undefined || 'value' in own ? inner(own?.value) : '[Getter]'}`);
  }
  return around(of === 'Object' ? '{' : `${of} {`, inside, '}', names.length - ITEMS);
}

host.inspect = (value) => show(value, [], new Map(), 0);
