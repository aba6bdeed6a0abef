// Quadratic look-behind over a long text.
// ends: fuel_limit
return /(?<=^a*)(?<=a*)b/.test('a'.repeat(100000));
