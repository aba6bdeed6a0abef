// A result that grows sixfold when it is escaped.
// ends: output_too_large
return '\u0001'.repeat(1 << 16);
