// Source text nested a hundred thousand deep.
// ends: stack_limit
return eval('a('.repeat(100000) + ')'.repeat(100000));
