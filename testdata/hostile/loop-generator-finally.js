// A generator that yields for ever when it is closed.
// ends: statement_limit
function* g() { try { yield 1; } finally { for (;;) yield 2; } }
const it = g();
it.next();
for (let r = it.return(); !r.done; r = it.next());
