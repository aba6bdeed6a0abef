// Nested :has().
// ends: ok
return safety.parser.html("<div>".repeat(400)+"<p></p>".repeat(20000)).select("div:has(div:has(div:has(p:has(i))))").size();
