// Everything selected again and again.
// ends: statement_limit fuel_limit memory_limit
const d=safety.parser.html("<p>".repeat(300000));for(;;){d.select("p");d.select("*")}
