// A map without end.
// ends: memory_limit
// statements: 400000
// fuel: 3000000000
const m = new Map();
for (let i = 0; ; i++) m.set('key' + i, { i });
