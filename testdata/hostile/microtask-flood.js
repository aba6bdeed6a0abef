// Microtasks that make microtasks.
// ends: statement_limit
const again = () => queueMicrotask(again);
again();
await new Promise(() => {});
