// Registered symbols without end.
// ends: memory_limit
// statements: 400000
// fuel: 3000000000
const kept = [];
for (let i = 0; ; i++) kept.push(Symbol.for(i + ".".repeat(1000)));
