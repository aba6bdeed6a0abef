// An asynchronous iterator that never ends.
// ends: statement_limit
// statements: 800
for await (const x of (async function* () { for (;;) yield 1; })());
