// A megabyte as an attribute of 800 elements, written out.
// ends: memory_limit
const d=safety.parser.html("<p></p>".repeat(800));d.select("p").attr("a","x".repeat(1e6));return d.html().length;
