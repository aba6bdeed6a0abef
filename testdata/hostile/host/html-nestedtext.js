// The text of 500 elements inside each other.
// ends: memory_limit fuel_limit
const d=safety.parser.html("<div>".repeat(500)+"x".repeat(200000));return d.select("div").text().length;
