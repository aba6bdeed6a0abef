// Backreferences that are tried in every length.
// ends: fuel_limit
return /^(a*)*(\1\1)*b$/.test('a'.repeat(60));
