// An array-like of 2^32 elements, copied.
// ends: memory_limit
// fuel: 1000000000
return Array.from({ length: 2 ** 32 - 1 });
