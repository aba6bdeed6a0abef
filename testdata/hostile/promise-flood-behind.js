// Jobs that make jobs behind a result that is there.
// ends: statement_limit
// statements: 800
(async () => { for (;;) await 0; })();
return 1;
