// A loop whose finally wins over every way out.
// ends: statement_limit
for (;;) { try { break; } finally { continue; } }
