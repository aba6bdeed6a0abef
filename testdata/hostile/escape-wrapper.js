// Code that closes its function and opens another.
// ends: syntax_error
}); globalThis.escaped = true; (async function () {
