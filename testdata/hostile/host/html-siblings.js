// All siblings of 100,000 siblings.
// ends: statement_limit memory_limit fuel_limit ok
const d=safety.parser.html("<ul>"+"<li></li>".repeat(100000));return d.select("li").siblings().size();
