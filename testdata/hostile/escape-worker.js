// Threads and shared memory.
// ends: ok
// result: ["undefined","undefined","undefined"]
return [typeof Worker, typeof Atomics, typeof WebAssembly];
