// A header of commas over short records.
// ends: ok
return safety.parser.csv(",".repeat(6000)+"\n"+"x\n".repeat(6000),{header:true}).length;
