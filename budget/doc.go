// Package budget accounts for the work, memory and time that Go code spends on one
// tool call. The guest is metered instruction by instruction; accounts keep the Go
// functions it calls from bypassing that meter.
//
//   - [Ledger] belongs to one call. It counts that call's memory on both sides of
//     the border, and the work of asynchronous functions that are still running.
//   - [Account] belongs to one host function while it runs. [Account.Charge]
//     spends fuel and checks the deadline at intervals; [Account.Hold] reserves
//     memory before it is allocated.
//   - [Rate] is the price of a function for each call and each byte. The table is
//     in rate.go and in docs/budget.md.
//   - [Builder] is an output that reserves memory before it grows, [Reader] an
//     input that charges for each byte read.
//
// A charge depends on the input alone, never on the clock, so a call that runs
// out of fuel ends at the same point on every machine. Deadlines and cancellation
// are the exceptions.
//
// An error of this package ends the whole call, not only the host function: guest
// code cannot catch it. If a handler wraps or drops it by mistake, the account
// still remembers it; see [Account.Err].
package budget
