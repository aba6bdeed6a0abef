// One buffer of a gigabyte.
// ends: memory_limit
return new ArrayBuffer(2 ** 30).byteLength;
