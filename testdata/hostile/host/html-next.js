// A step to the next sibling, for 100,000 elements, for ever.
// ends: statement_limit fuel_limit memory_limit
const d=safety.parser.html("<ul>"+"<li></li><!---->".repeat(100000));for(;;)d.select("li").next().size();
