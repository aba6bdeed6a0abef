// Every global is taken away.
// ends: ok
// result: "undefined"
const global = globalThis;
for (const key of Reflect.ownKeys(global)) delete global[key];
await 0;
return typeof JSON;
