// Waiting for endlessly many.
// ends: statement_limit
// statements: 800
await Promise.all((function* () { for (;;) yield new Promise(() => {}); })());
