// Filling the same megabytes for ever.
// ends: fuel_limit
const bytes = new Uint8Array(8 << 20);
for (;;) bytes.fill(1);
