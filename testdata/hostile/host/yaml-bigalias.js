// One long text, 50,000 times.
// ends: exception memory_limit
let s="a: &a "+"x".repeat(1e5)+"\nb: ["+"*a,".repeat(50000)+"*a]";return safety.parser.yaml(s).b.length;
