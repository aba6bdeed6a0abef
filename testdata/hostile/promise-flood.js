// Jobs that make jobs.
// ends: statement_limit
// statements: 2000
const again = () => Promise.resolve().then(again);
await again();
