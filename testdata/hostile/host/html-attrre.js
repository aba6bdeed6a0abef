// A pattern over a thousand attributes of a megabyte.
// ends: fuel_limit
const d=safety.parser.html("<p></p>".repeat(1000));d.select("p").attr("a","x".repeat(1e6));return d.select("[a#=(x{50}y)]").size();
