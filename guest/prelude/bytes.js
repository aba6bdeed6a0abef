// installs:
// needs:
//
// What the other files mean by bytes.

const { DataView, Uint8Array, isArray, isView, viewKind, viewBuffer, viewOffset, viewLength, bufferLength, uncurry, getOwnPropertyDescriptor } = primordials;

const member = (name) => uncurry(getOwnPropertyDescriptor(DataView.prototype, name).get);
const dataBuffer = member('buffer');
const dataOffset = member('byteOffset');
const dataLength = member('byteLength');

// of returns the bytes of a buffer, of a view of one or of a list of numbers as a Uint8Array, and undefined for
// anything else. Except for a list, it is the same memory.
function of(value) {
  if (isView(value)) {
    if (viewKind(value) === 'Uint8Array') return value;
    return viewKind(value) === undefined
      ? new Uint8Array(dataBuffer(value), dataOffset(value), dataLength(value))
      : new Uint8Array(viewBuffer(value), viewOffset(value), viewLength(value));
  }
  if (isArray(value)) return new Uint8Array(value);
  try {
    bufferLength(value); // throws for everything but an ArrayBuffer
    return new Uint8Array(value);
  } catch {
    return undefined;
  }
}

host.bytes = {
  __proto__: null,
  of,
  // sent is what a host call takes: no bytes at all are undefined.
  sent: (bytes) => (bytes === undefined || viewLength(bytes) === 0 ? undefined : bytes),
  length: viewLength,
};
