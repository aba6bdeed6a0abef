// A toJSON that serialises itself.
// ends: stack_limit
const o = { toJSON() { return JSON.stringify(o); } };
return o;
