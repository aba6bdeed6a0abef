// A function bound a hundred thousand times: each has a longer name.
// ends: memory_limit
// statements: 400000
// fuel: 3000000000
// memory: 33554432
let f = () => 1;
for (let i = 0; i < 100000; i++) f = f.bind(null);
return f();
