// A getter that never returns, found by serialising the result.
// ends: statement_limit
return { get a() { for (;;); } };
