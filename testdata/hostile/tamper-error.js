// Errors that run code when they are described.
// ends: exception
// message: told
Error.prepareStackTrace = () => { throw 1; };
Error.stackTraceLimit = 1e9;
Object.defineProperty(Error.prototype, 'name', { get() { throw 2; } });
Object.defineProperty(Object.prototype, 'toString', { get() { throw 3; } });
throw new Error('told');
