// Catastrophic backtracking.
// ends: fuel_limit
return /^(a+)+$/.test('a'.repeat(40) + '!');
