// A tree that deepens at every step.
// ends: fuel_limit
const d=safety.parser.html("<p>x</p>");const p=d.select("p");for(let i=0;i<200000;i++)p.wrap("<i></i>");return p.parents().size();
