// A comparator that sorts.
// ends: stack_limit
const f = (a, b) => { [3, 1, 2].sort(f); return a - b; };
return [3, 1, 2].sort(f);
