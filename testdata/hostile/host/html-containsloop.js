// :contains() over a deep tree for ever.
// ends: fuel_limit
const d=safety.parser.html("<div>".repeat(500)+"x".repeat(1000000));for(;;)d.select("div:contains(y):contains(z):contains(q)").size();
