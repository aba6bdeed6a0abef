// A wide header over 30,000 records of one field.
// ends: exception
let h=[];for(let i=0;i<3000;i++)h.push("c"+i);return safety.parser.csv(h.join(",")+"\n"+"x\n".repeat(30000),{header:true}).length;
