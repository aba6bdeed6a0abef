// A hundred thousand proxies around each other.
// ends: stack_limit
// statements: 400000
// fuel: 3000000000
// memory: 33554432
let q = {};
for (let i = 0; i < 100000; i++) q = new Proxy(q, {});
return q.a;
