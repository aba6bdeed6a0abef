// A character that grows eighteenfold when normalised.
// ends: fuel_limit
const text = '\ufdfa'.repeat(1 << 18);
for (;;) text.normalize('NFKD');
