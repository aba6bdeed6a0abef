// A promise that waits for itself.
// ends: exception
// name: TypeError
const p = Promise.resolve().then(() => p);
await p;
