// Arguments nested 180,000 deep.
// ends: stack_limit
// nested: 180000
return 1;
