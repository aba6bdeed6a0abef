// A deeply nested array as text.
// ends: stack_limit
// statements: 400000
// fuel: 3000000000
// memory: 33554432
let a = [];
for (let i = 0; i < 100000; i++) a = [a];
return '' + a;
