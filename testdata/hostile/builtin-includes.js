// A search through an array-like of 2^53 elements.
// ends: fuel_limit
return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1);
