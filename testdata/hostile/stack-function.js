// Recursion.
// ends: stack_limit
function f() { return 1 + f(); }
return f();
