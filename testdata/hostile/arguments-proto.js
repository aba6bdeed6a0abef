// Arguments that want to be prototypes.
// ends: ok
// arguments: {"__proto__":{"a":1,"polluted":true},"toJSON":1}
// result: ["undefined","undefined",true]
// names: a toString toJSON
return [typeof a, typeof toString, Object.prototype.polluted === undefined];
