// Every prototype the prelude might lean on is taken away.
// ends: ok
// result: 1
const { defineProperty, ownKeys } = Reflect;
const types = [Array, Object, Function, Promise, String, Map, WeakMap, RegExp, Error];
for (let t = 0; t < types.length; t++) {
  const keys = ownKeys(types[t].prototype);
  for (let k = 0; k < keys.length; k++) {
    const key = keys[k];
    try {
      defineProperty(types[t].prototype, key, { __proto__: null, get() { throw 'tampered'; }, set() { throw 'tampered'; } });
    } catch {
      // not configurable
    }
  }
}
console.log('still', 1);
await 0;
return 1;
