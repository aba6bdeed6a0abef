// Waiting for endlessly many.
// ends: statement_limit
// statements: 2000
await Promise.all((function* () { for (;;) yield new Promise(() => {}); })());
