// Package host divides access to the outside world into capabilities: a posture becomes
// exactly the calls that one guest may make. Anything not granted has no row in the
// table, so there is nothing to refuse.
//
// Read in this order:
//
//   - [World] is what the operator lends the process: a resolver and a dialler,
//     a workspace, directories to read. Its zero value lends nothing.
//   - [Mint] cuts it down to one call's [Grants], as a catalog.Posture says. It is
//     the only reader of postures here.
//   - [Table] is what the guest gets: names of operations and one method, Call.
//     All operations are rows of the table in operations.go; adding one is adding
//     a row.
//   - [Function] is a row that the embedding program writes: the same gate, price
//     and line in the transcript, and a schema that every argument is checked
//     against.
//   - [Transcript] is what happened, counted for the audit record.
//
// What the rows do lives below: files (through os.Root alone), web (through
// netguard alone). Their common ground, handlers and the errors that a guest can
// catch, is hostcall.
//
// The package knows nothing of WebAssembly, of risk levels or of MCP.
package host
