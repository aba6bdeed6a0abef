// Generators that delegate to themselves.
// ends: stack_limit
function* g() { yield* g(); }
return g().next();
