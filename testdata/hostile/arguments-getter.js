// Arguments are read before the code can change how.
// ends: ok
// arguments: {"a":1}
// names: a b
// result: [1,"undefined"]
Object.defineProperty(Object.prototype, 'b', { get() { return 'forged'; } });
return [a, typeof b];
