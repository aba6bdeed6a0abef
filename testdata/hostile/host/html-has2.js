// Nested :has() for ever.
// ends: fuel_limit
const d=safety.parser.html("<div>".repeat(400)+"<p></p>".repeat(20000));for(;;)d.select(":has(:has(:has(x)))").size();
