// A template with 2^53 pieces.
// ends: fuel_limit
return String.raw({ raw: { length: 2 ** 53 - 1 } });
