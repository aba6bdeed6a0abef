// An endless loop in a function made from text.
// ends: statement_limit
new Function('for (;;);')();
