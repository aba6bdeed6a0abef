// A comparator that contradicts itself and shortens the array.
// ends: ok
// result: true
const a = Array.from({ length: 500 }, (_, i) => i);
let n = 0;
a.sort(() => { a.length = 0; return n++ % 3 - 1; });
return n > 0;
