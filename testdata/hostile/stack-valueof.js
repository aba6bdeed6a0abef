// A valueOf that needs its own value.
// ends: stack_limit
const o = { valueOf() { return +o; } };
return +o;
