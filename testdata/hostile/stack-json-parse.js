// Four hundred thousand opening brackets.
// ends: stack_limit
return JSON.parse('['.repeat(400000));
