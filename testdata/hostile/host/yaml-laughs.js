// Aliases of aliases of aliases.
// ends: exception
let s="a0: &a0 [x,x,x,x,x,x,x,x,x]\n";for(let i=1;i<20;i++)s+=`a${i}: &a${i} [${Array(9).fill("*a"+(i-1)).join(",")}]\n`;return safety.parser.yaml(s);
