// A setter that sets itself.
// ends: stack_limit
const o = { set a(v) { this.a = v; } };
o.a = 1;
