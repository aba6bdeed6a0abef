// Backtracking over alternatives that overlap.
// ends: fuel_limit
return /^(?:a|aa|a*)*b$/.test('a'.repeat(60));
