// Buffers without end.
// ends: memory_limit
const kept = [];
for (;;) kept.push(new Uint8Array(1 << 20));
