// Lines larger than the whole console may be.
// ends: ok
// result: 1
for (let i = 0; i < 5; i++) console.log('x'.repeat(1 << 18));
return 1;
