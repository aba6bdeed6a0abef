// A result that is always another result.
// ends: statement_limit
// statements: 800
const next = () => ({ then(resolve) { resolve(next()); } });
return next();
