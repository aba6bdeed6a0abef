// Enumeration inside an endless generator.
// ends: statement_limit
function* g() { for (;;) for (const k in { a: 1 }) yield k; }
for (const k of g());
