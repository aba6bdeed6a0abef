// Four million numbers on one line, whose tokens the parser keeps.
// ends: memory_limit
return safety.parser.yaml("- ["+"1,".repeat(4e6)+"1]").length;
