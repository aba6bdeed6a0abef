// A text cut into a million pieces, a thousand times.
// ends: memory_limit
return Array.from({ length: 1000 }, () => 'ab'.repeat(1 << 19).split('a'));
