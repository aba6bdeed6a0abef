// A small graph that serialises to a large tree, with the text thrown away.
// ends: fuel_limit
let a = ['x'];
for (let i = 0; i < 18; i++) a = [a, a];
for (;;) JSON.stringify(a);
