// Each mapping merges the one before.
// ends: exception
let s="a0: &a0 {x: 1}\n";for(let i=1;i<3000;i++)s+=`a${i}: &a${i}\n  <<: *a${i-1}\n  k${i}: 1\n`;return safety.parser.yaml(s);
