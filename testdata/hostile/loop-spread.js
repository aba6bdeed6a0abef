// Spreading an endless iterator into an array.
// ends: memory_limit
// statements: 400000
// fuel: 3000000000
return [...(function* () { for (;;) yield 1; })()];
