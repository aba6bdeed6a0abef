// installs: safety
// needs:
//
// The object that the helper groups hang from. It is always there; a group that was not granted is not in it.

const { defineProperty } = primordials;
defineProperty(globalThis, 'safety', { __proto__: null, value: {}, writable: true, enumerable: false, configurable: true });
