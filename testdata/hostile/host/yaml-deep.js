// A million lists inside each other.
// ends: exception
return safety.parser.yaml("- ".repeat(1e6)+"x");
