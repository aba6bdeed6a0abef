// A result over the limit.
// ends: output_too_large
return 'x'.repeat(1 << 20);
