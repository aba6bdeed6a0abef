// A fragment of 200 KB appended to 20,000 elements.
// ends: memory_limit fuel_limit
const d=safety.parser.html("<p></p>".repeat(20000));d.select("p").append("<b>x</b>".repeat(25000));return d.html().length;
