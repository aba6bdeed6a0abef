// An array nested twenty thousand deep as the result: looking for cycles is quadratic.
// ends: fuel_limit
// statements: 40000
let a = [];
for (let i = 0; i < 20000; i++) a = [a];
return a;
