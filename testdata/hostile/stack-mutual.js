// Two functions that call each other, with large frames.
// ends: stack_limit
function f(a, b, c, d, e) { return [a, b, ...g(c, d, e, a, b)]; }
function g(a, b, c, d, e) { return [...f(b, c, d, e, a), a]; }
return f(1, 2, 3, 4, 5);
