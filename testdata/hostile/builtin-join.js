// A built-in that never looks up: the case that interrupt handlers miss.
// ends: fuel_limit
return new Array(1e9) + '';
