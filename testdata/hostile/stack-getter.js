// A getter that reads itself.
// ends: stack_limit
const o = { get a() { return this.a; } };
return o.a;
