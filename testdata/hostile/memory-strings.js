// A text that doubles.
// ends: memory_limit
// statements: 400000
// fuel: 3000000000
let s = 'x'.repeat(1 << 20);
const kept = [];
for (;;) kept.push(s + kept.length, s.toUpperCase());
