// A key whose toString never returns.
// ends: statement_limit
return {}[{ toString() { for (;;); } }];
