// As many attributes in one tag as statements allow.
// ends: memory_limit statement_limit fuel_limit
let s="<a";for(let i=0;i<700000;i++)s+=" b"+i+"=\"\"";return safety.parser.xml(s+"/>").tag;
