// A quadratic search for what almost matches everywhere.
// ends: fuel_limit
const text = 'a'.repeat(1 << 20);
return text.indexOf('a'.repeat(1 << 19) + 'b');
