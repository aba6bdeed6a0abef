// A merge of 20,000 keys, 100,000 times.
// ends: memory_limit exception fuel_limit
let k="a: &a\n";for(let i=0;i<20000;i++)k+="  k"+i+": 1\n";k+="b:\n  <<: ["+"*a,".repeat(100000)+"*a]\n";return typeof safety.parser.yaml(k);
