// Modules of the host.
// ends: exception
// name: ReferenceError
await import('os');
