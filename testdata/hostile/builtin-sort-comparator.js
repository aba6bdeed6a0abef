// A comparator that never decides.
// ends: statement_limit
const a = Array.from({ length: 100 }, (_, i) => i);
a.sort(() => { for (;;); });
