// Jobs that make jobs.
// ends: statement_limit
// statements: 800
const again = () => Promise.resolve().then(again);
await again();
