// An object with a property for every number.
// ends: memory_limit
// statements: 400000
// fuel: 3000000000
const o = {};
for (let i = 0; ; i++) o['k' + i] = i;
