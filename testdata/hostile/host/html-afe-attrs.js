// The same with one element that has 20,000 attributes.
// ends: memory_limit statement_limit fuel_limit
let s="<b";for(let i=0;i<20000;i++)s+=" a"+i;s+=">";s+="<p>".repeat(50000);return safety.parser.html(s).select("b").size();
