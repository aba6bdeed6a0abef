// A toString that needs its own text.
// ends: stack_limit
const o = { toString() { return '' + o; } };
return '' + o;
