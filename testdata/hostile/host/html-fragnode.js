// An element copied 20,000 times.
// ends: memory_limit fuel_limit
const d=safety.parser.html("<p></p>".repeat(20000)+"<div>"+"<b>x</b>".repeat(2000)+"</div>");d.select("p").append(d.select("div"));return d.html().length;
