// Arrays without end.
// ends: memory_limit
// fuel: 1000000000
const kept = [];
for (;;) kept.push(new Array(1000).fill(0));
