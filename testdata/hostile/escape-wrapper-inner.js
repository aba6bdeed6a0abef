// Code that closes its function and stays inside the outer one.
// ends: syntax_error
})(); (async function () {
