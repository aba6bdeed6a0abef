// An endless loop in evaluated code.
// ends: statement_limit
(0, eval)('for (;;);');
