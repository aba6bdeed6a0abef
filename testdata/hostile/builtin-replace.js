// A replacement function over every position of a long text.
// ends: fuel_limit
const text = 'a'.repeat(1 << 20);
for (;;) text.replaceAll('a', 'b');
