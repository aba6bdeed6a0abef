// An endless loop with a condition.
// ends: statement_limit
while (true) {}
