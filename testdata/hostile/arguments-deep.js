// Arguments nested a hundred thousand deep.
// ends: stack_limit
// nested: 100000
return 1;
