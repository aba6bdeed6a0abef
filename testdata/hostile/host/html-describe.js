// Attributes of a megabyte that escapes to six, read for ever.
// ends: fuel_limit exception
const d=safety.parser.html("<p>");const p=d.select("p").first();p.attr("a","\u0001".repeat(1e6));for(;;)p.attributes();
