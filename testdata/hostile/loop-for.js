// An endless loop.
// ends: statement_limit
for (;;);
