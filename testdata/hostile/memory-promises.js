// Promises that wait for each other.
// ends: memory_limit
const never = new Promise(() => {});
for (;;) never.then(() => 1);
