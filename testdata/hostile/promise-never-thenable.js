// A result that never says what it is.
// ends: never_settles
return { then() {} };
