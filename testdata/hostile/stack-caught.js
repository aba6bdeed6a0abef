// Recursion that catches its end a thousand times.
// ends: ok
// result: 3
let caught = 0;
function f() { f(); }
for (let i = 0; i < 3; i++) try { f(); } catch (e) { caught += e instanceof RangeError; }
return caught;
