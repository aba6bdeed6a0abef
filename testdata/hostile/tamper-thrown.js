// A thrown object whose description never ends.
// ends: statement_limit
throw { get message() { for (;;); } };
