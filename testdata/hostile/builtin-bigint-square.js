// Squaring without end.
// ends: fuel_limit
let x = 3n;
for (;;) x *= x % (1n << 900000n);
