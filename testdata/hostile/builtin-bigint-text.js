// A huge number written in decimal.
// ends: fuel_limit
return String((1n << 1000000n) - 1n).length;
