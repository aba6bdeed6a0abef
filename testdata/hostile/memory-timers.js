// Timers without end.
// ends: memory_limit
// statements: 400000
// fuel: 3000000000
for (;;) setTimeout(() => 1, 1e6);
