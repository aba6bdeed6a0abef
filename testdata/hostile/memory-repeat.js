// A text of half a gigabyte.
// ends: memory_limit
return 'x'.repeat(2 ** 29).length;
