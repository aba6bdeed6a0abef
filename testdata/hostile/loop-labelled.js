// Endless by way of a label.
// ends: statement_limit
outer: for (;;) { for (;;) continue outer; }
