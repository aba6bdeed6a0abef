// A header of a megabyte over a million records.
// ends: memory_limit exception
return safety.parser.csv("n".repeat(1e6)+"\n"+"x\n".repeat(1e6),{header:true}).length;
