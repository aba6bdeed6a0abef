// An array-like of 2^32 elements, copied.
// ends: memory_limit
return Array.from({ length: 2 ** 32 - 1 });
