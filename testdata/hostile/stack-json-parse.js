// A hundred thousand opening brackets.
// ends: stack_limit
return JSON.parse('['.repeat(100000));
