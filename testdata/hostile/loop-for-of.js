// An iterator that never ends.
// ends: statement_limit
for (const x of { [Symbol.iterator]() { return { next: () => ({ value: 1, done: false }) }; } });
