// Lines without end.
// ends: statement_limit
for (;;) console.log('line');
