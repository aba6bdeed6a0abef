// Flattening an array that contains itself.
// ends: stack_limit
const a = [];
a.push(a);
return a.flat(Infinity);
