// A pattern with counted repetitions over a deep tree.
// ends: fuel_limit
const d=safety.parser.html("<div>".repeat(200)+"x".repeat(100000));return d.select("div:matches((x{0,30}){0,30}y)").size();
