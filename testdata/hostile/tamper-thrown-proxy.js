// A thrown proxy that refuses everything.
// ends: exception
throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; }, has() { throw 3; } });
