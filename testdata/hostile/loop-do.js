// An endless loop with its condition behind it.
// ends: statement_limit
do {} while (1);
