// Async functions that call themselves before the first await.
// ends: stack_limit
async function f() { return 1 + await f(); }
return await f();
