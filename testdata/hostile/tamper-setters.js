// Setters on indices of every array.
// ends: ok
// result: 1
for (let i = 0; i < 8; i++) Object.defineProperty(Array.prototype, i, { set() { throw 'caught you'; }, get() { return 'forged'; } });
console.log('a', 'b');
return 1;
