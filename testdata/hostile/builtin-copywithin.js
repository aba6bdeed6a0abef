// Moving the same megabytes to and fro: few instructions, many bytes.
// ends: fuel_limit
const bytes = new Uint8Array(8 << 20);
for (;;) bytes.copyWithin(1, 0);
