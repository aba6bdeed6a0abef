// A proxy whose trap asks the proxy.
// ends: stack_limit
const q = new Proxy({}, { get(target, key) { return q[key]; } });
return q.a;
