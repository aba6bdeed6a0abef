// Iteration that never ends, everywhere.
// ends: ok
// result: 1
Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1; };
console.log('a', 'b');
const id = setTimeout(() => {}, 1);
clearTimeout(id);
return 1;
