// A timer that is always due.
// ends: statement_limit
const again = () => setTimeout(again, 0);
again();
await new Promise(() => {});
