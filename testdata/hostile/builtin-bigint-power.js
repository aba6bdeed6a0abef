// A tower of powers.
// ends: fuel_limit
return 9n ** (9n ** 9n) + 1n;
