// 490 formatting elements that every paragraph makes anew.
// ends: ok memory_limit fuel_limit
let s="";for(let i=0;i<490;i++)s+="<b a="+i+">";s+="<p>".repeat(100000);return safety.parser.html(s).select("b").size();
