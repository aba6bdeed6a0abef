// Documents that are all kept.
// ends: memory_limit fuel_limit
const s="<p>".repeat(100000);const k=[];for(;;)k.push(safety.parser.html(s));
