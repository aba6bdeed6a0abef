// An asynchronous generator that is closed while it waits.
// ends: never_settles
const g = (async function* () { await new Promise(() => {}); })();
g.next();
await g.return();
