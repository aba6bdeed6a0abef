// installs: structuredClone
// needs:
//
// structuredClone of plain data, Map, Set, Date, RegExp, errors, buffers and their views, cycles included. Nothing can
// be transferred: there is nobody to transfer it to.

const {
  bufferLength, construct, defineProperty, errors, getOwnPropertyDescriptor, getPrototypeOf, isArray, isView, keys, mapForEach, mapGet, mapSet, setAdd, setForEach,
  uncurry, viewBuffer, viewKind, viewLength, viewOffset, views,
  Array, ArrayBuffer, BigInt, Boolean, DataView, Date, DOMException, Error, Map, Number, Object, Promise, RegExp, Set, String, TypeError, WeakMap, WeakSet,
} = primordials;

const getter = (of, name) => uncurry(getOwnPropertyDescriptor(of.prototype, name).get);
const timeOf = uncurry(Date.prototype.getTime);
const sourceOf = getter(RegExp, 'source');
const flagsOf = getter(RegExp, 'flags');
const ObjectPrototype = Object.prototype;
const copyBuffer = uncurry(ArrayBuffer.prototype.slice);
const dataBuffer = getter(DataView, 'buffer');
const dataOffset = getter(DataView, 'byteOffset');
const dataLength = getter(DataView, 'byteLength');
const unwrap = [Boolean, Number, String, BigInt];
const valueOf = [];
for (let n = 0; n < unwrap.length; n++) valueOf[n] = uncurry(unwrap[n].prototype.valueOf);

function refuse(what) {
  throw new DOMException(`${what} cannot be cloned`, 'DataCloneError');
}

const put = (object, key, value) =>
  defineProperty(object, key, { __proto__: null, value, enumerable: true, writable: true, configurable: true });

// clone copies a value; seen has the copy of each object that was met before.
function clone(value, seen) {
  if (typeof value === 'function') refuse('a function');
  if (typeof value === 'symbol') refuse('a symbol');
  if (typeof value !== 'object' || value === null) return value;
  const before = mapGet(seen, value);
  if (before !== undefined) return before;
  const list = isArray(value);
  if (list || getPrototypeOf(value) === ObjectPrototype) return members(value, list ? new Array(value.length) : {}, seen);
  const made = shell(value, seen);
  if (made === undefined) return members(value, {}, seen);
  mapSet(seen, value, made);
  if (value instanceof Map) {
    const pairs = [];
    mapForEach(value, (v, k) => { pairs[pairs.length] = [k, v]; });
    for (let n = 0; n < pairs.length; n++) mapSet(made, clone(pairs[n][0], seen), clone(pairs[n][1], seen));
  } else if (value instanceof Set) {
    const all = [];
    setForEach(value, (v) => { all[all.length] = v; });
    for (let n = 0; n < all.length; n++) setAdd(made, clone(all[n], seen));
  } else if (value instanceof Error) {
    fillError(made, value, seen);
  }
  return made;
}

// members copies an object's own properties into made.
function members(value, made, seen) {
  mapSet(seen, value, made);
  const names = keys(value);
  for (let n = 0; n < names.length; n++) {
    const name = names[n];
    const own = value[name];
    const copy = typeof own === 'string' || typeof own === 'number' ? own : clone(own, seen);
    if (name === '__proto__') put(made, name, copy);
    else made[name] = copy;
  }
  return made;
}

// shell makes the copy of an object without what is inside of it; undefined for one that is no more than its
// properties, whatever its class.
function shell(value, seen) {
  if (isView(value)) return view(value, seen);
  if (value instanceof ArrayBuffer) return copyBuffer(value, 0, bufferLength(value));
  if (value instanceof Map) return new Map();
  if (value instanceof Set) return new Set();
  if (value instanceof Date) return new Date(timeOf(value));
  if (value instanceof RegExp) return new RegExp(sourceOf(value), flagsOf(value));
  if (value instanceof Error) {
    const { name, message } = value;
    return new (errors[name] ?? Error)(message === undefined ? undefined : String(message));
  }
  for (let n = 0; n < unwrap.length; n++) if (value instanceof unwrap[n]) return Object(valueOf[n](value));
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) refuse('an object that is more than its properties');
  return undefined;
}

function view(value, seen) {
  const kind = viewKind(value);
  if (kind === undefined) return new DataView(clone(dataBuffer(value), seen), dataOffset(value), dataLength(value));
  const made = views[kind];
  const bytes = viewLength(value) / made.BYTES_PER_ELEMENT;
  return construct(made, [clone(viewBuffer(value), seen), viewOffset(value), bytes]);
}

function fillError(made, value, seen) {
  const hidden = (name, copy) => {
    const own = getOwnPropertyDescriptor(value, name);
    if (own !== undefined && 'value' in own) {
      defineProperty(made, name, { __proto__: null, value: copy(own.value), writable: true, configurable: true });
    }
  };
  hidden('stack', String);
  hidden('cause', (cause) => clone(cause, seen));
}

host.install('structuredClone', function structuredClone(value, options) {
  if (arguments.length === 0) throw new TypeError('there is nothing to clone');
  const transfer = options?.transfer;
  if (transfer !== undefined && (!isArray(transfer) || transfer.length > 0)) {
    throw new DOMException('nothing can be transferred: there is nobody to transfer it to', 'DataCloneError');
  }
  return clone(value, new Map());
});
