// A result that is always another result.
// ends: statement_limit
// statements: 2000
const next = () => ({ then(resolve) { resolve(next()); } });
return next();
