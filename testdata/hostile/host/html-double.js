// A document that doubles.
// ends: memory_limit fuel_limit
const d=safety.parser.html("<div><b>x</b></div>");for(let i=0;i<40;i++)d.body().append(d.body().html());return d.html().length;
