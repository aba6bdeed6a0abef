// A default value that never comes to be.
// ends: statement_limit
const { a = (() => { for (;;); })() } = {};
