// A toJSON that never returns.
// ends: statement_limit
return { toJSON() { for (;;); } };
