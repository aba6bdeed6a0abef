// A regular expression nested a hundred thousand deep.
// ends: exception
// name: SyntaxError
return new RegExp('('.repeat(100000) + ')'.repeat(100000));
