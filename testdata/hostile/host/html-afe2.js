// The same with paragraphs that end.
// ends: memory_limit fuel_limit
let s="";for(let i=0;i<490;i++)s+="<b a="+i+">";s+="<p>x</p>".repeat(50000);return safety.parser.html(s).select("b").size();
