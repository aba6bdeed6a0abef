// Arrays without end.
// ends: memory_limit
const kept = [];
for (;;) kept.push(new Array(1000).fill(0));
