// A message of megabytes.
// ends: exception
throw new Error('x'.repeat(4 << 20));
