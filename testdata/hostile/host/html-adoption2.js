// Formatting that is closed in the wrong order.
// ends: ok fuel_limit memory_limit
let s="";for(let i=0;i<250;i++)s+="<b a="+i+"><i>";s+="<p>";for(let i=0;i<100000;i++)s+="</b><p>";return safety.parser.html(s).select("b").size();
