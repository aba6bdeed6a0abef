// Closures that keep each other.
// ends: memory_limit
// statements: 400000
// fuel: 3000000000
let f = () => 0;
for (;;) { const g = f; f = () => g; }
