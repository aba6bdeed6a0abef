// A replacement function that replaces.
// ends: stack_limit
const f = () => 'aa'.replace(/a/g, f);
return f();
