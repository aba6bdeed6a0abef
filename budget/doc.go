// Package budget accounts for work that Go does on behalf of one call of a tool:
// work, memory and time. The guest is metered instruction by instruction; with
// an account the functions it calls in Go are no way around that meter.
//
//   - [Ledger] belongs to one call. It counts the memory of that call on both
//     sides of the border and the work of asynchronous functions that are still
//     running.
//   - [Account] belongs to one host function while it runs. [Account.Charge]
//     spends fuel and looks at the deadline every so often; [Account.Hold]
//     reserves memory before it is allocated.
//   - [Rate] is what a function costs for each call and each byte. The table is
//     in rate.go and in docs/budget.md.
//   - [Builder] is an output that reserves room before it grows, [Reader] an input
//     that charges for what is read.
//
// A charge depends on the input alone, never on the clock, so a call that runs
// out of fuel ends at the same point on every machine. Deadlines and
// cancellation are the exception, by their nature.
//
// An error of this package ends the whole call, not only the host function: guest
// code cannot catch it. A handler may wrap it or drop it by mistake; the account
// remembers it, see [Account.Err].
package budget
