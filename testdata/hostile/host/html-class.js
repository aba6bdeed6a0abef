// A class looked for in gigabytes of classes.
// ends: fuel_limit
const d=safety.parser.html("<p></p>".repeat(20000));d.select("p").attr("class","x ".repeat(5e5));return d.select(".y").size();
