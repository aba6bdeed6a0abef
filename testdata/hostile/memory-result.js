// A small value whose JSON does not fit.
// ends: memory_limit
// statements: 400000
// fuel: 3000000000
const s = 'x'.repeat(1 << 20);
return new Array(100).fill(s);
