// A small value whose JSON does not fit.
// ends: output_too_large
// statements: 400000
// fuel: 3000000000
const s = 'x'.repeat(1 << 20);
return new Array(100).fill(s);
