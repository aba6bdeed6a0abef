// A pattern of a million steps.
// ends: exception
return safety.parser.html("<p>x").select("p:matches(((x{100}){100}){100})").size();
